// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/byte_source.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "analyzer/import/inflater.h"
#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {

class PlainFile {
 public:
  explicit PlainFile(const std::string& path) : path_(path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) throw TraceError(path, "", std::strerror(errno), "check the path");
    if (S_ISDIR(info.st_mode)) throw TraceError(path, "", "is a directory", "name a file in it");
    size_ = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) throw TraceError(path, "", std::strerror(errno), "check that you may read it");
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // our own buffers are larger
  }
  std::size_t read(void* out, std::size_t capacity) {
    const std::size_t got = std::fread(out, 1, capacity, file_.get());
    if (got < capacity && std::ferror(file_.get()))
      throw TraceError(path_, "byte " + std::to_string(taken_ + got), std::strerror(errno), "check the disk");
    taken_ += got;
    return got;
  }
  const std::string& path() const { return path_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t size() const { return size_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t taken_ = 0, size_ = 0;
};

class PlainSource final : public ByteSource {
 public:
  PlainSource(PlainFile file, std::string head) : file_(std::move(file)), head_(std::move(head)) {}
  std::size_t read(char* out, std::size_t capacity) override {
    const std::size_t from_head = std::min(capacity, head_.size() - head_given_);
    std::memcpy(out, head_.data() + head_given_, from_head);
    head_given_ += from_head;
    return from_head == capacity ? from_head : from_head + file_.read(out + from_head, capacity - from_head);
  }
  std::uint64_t consumed() const override { return file_.taken() - (head_.size() - head_given_); }
  std::uint64_t size() const override { return file_.size(); }

 private:
  PlainFile file_;
  std::string head_;  // what was read to look at
  std::size_t head_given_ = 0;
};

// gzip, of any number of members; zero bytes after the last are padding.
class GzipSource final : public ByteSource {
 public:
  GzipSource(PlainFile file, const std::string& head, OnEarlyEnd early_end)
      : file_(std::move(file)), on_early_end_(early_end), inflater_(make_fastest_inflater()), input_(256 * 1024) {
    std::memcpy(input_.data(), head.data(), head.size());
    filled_ = head.size();
    inflater_->start_member();
  }

  std::size_t read(char* out, std::size_t capacity) override {
    std::size_t given = 0;
    while (given < capacity && !done_) {
      const auto result = inflater_->inflate(input_.data() + used_, filled_ - used_,
                                             reinterpret_cast<unsigned char*>(out) + given, capacity - given);
      used_ += result.taken;
      given += result.given;
      if (result.state == Inflater::State::kDamaged)
        throw TraceError(file_.path(), "compressed byte " + std::to_string(consumed()),
                         std::string("damaged gzip stream (") + result.trouble + ")", "copy the file again");
      if (result.state == Inflater::State::kMemberDone)
        next_member();
      else if (result.taken == 0 && result.given == 0 && !refill())
        end_early();
    }
    return given;
  }
  std::uint64_t consumed() const override { return file_.taken() - (filled_ - used_); }
  std::uint64_t size() const override { return file_.size(); }
  std::string early_end() const override { return early_; }

 private:
  bool refill() {  // keeps what is unused; false at the end of the file
    std::memmove(input_.data(), input_.data() + used_, filled_ - used_);
    filled_ -= used_;
    used_ = 0;
    const std::size_t got = file_.read(input_.data() + filled_, input_.size() - filled_);
    filled_ += got;
    return got > 0;
  }
  void next_member() {
    for (;;) {
      while (used_ < filled_ && input_[used_] == 0) ++used_;
      if (used_ < filled_) break;
      if (!refill()) {
        done_ = true;
        return;
      }
    }
    if (input_[used_] != 0x1f)
      throw TraceError(file_.path(), "compressed byte " + std::to_string(consumed()),
                       "something follows the end of the gzip stream", "copy the file again");
    inflater_->start_member();
  }
  void end_early() {
    const std::string at = "compressed byte " + std::to_string(consumed());
    if (on_early_end_ == OnEarlyEnd::kThrow)
      throw TraceError(file_.path(), at, "the gzip stream is cut off here",
                       "copy the file again, or keep its complete events with --salvage");
    early_ = "the gzip stream is cut off at " + at;
    done_ = true;
  }

  PlainFile file_;
  OnEarlyEnd on_early_end_;
  std::unique_ptr<Inflater> inflater_;
  std::vector<unsigned char> input_;
  std::size_t used_ = 0, filled_ = 0;
  bool done_ = false;
  std::string early_;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path, OnEarlyEnd early_end) {
  PlainFile file(path);
  std::string head(2, '\0');
  head.resize(file.read(head.data(), head.size()));
  if (head == "\x1f\x8b") return std::make_unique<GzipSource>(std::move(file), head, early_end);
  return std::make_unique<PlainSource>(std::move(file), std::move(head));
}

}  // namespace moescope

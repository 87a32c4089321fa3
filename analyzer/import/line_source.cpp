// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/line_source.h"

#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {
constexpr std::size_t kBlock = std::size_t{1} << 20, kLongest = std::size_t{64} << 20;
}

LineSource::LineSource(const std::string& path, const ImportOptions& options)
    : path_(path),
      options_(options),
      source_(open_bytes(path, options.salvage ? OnEarlyEnd::kStop : OnEarlyEnd::kThrow)) {}

bool LineSource::next(std::string_view* line) {
  while (true) {
    const std::size_t end = text_.find('\n', searched_);
    if (end == std::string::npos && !ended_) {
      text_.erase(0, begin_);
      searched_ = text_.size();
      begin_ = 0;
      if (searched_ > kLongest)
        throw TraceError(path_, "line " + std::to_string(number_ + 1), "longer than 64 MB", "check the file");
      text_.resize(searched_ + kBlock);
      const std::size_t got = source_->read(text_.data() + searched_, kBlock);
      text_.resize(searched_ + got);
      ended_ = got == 0;
      if (options_.progress) options_.progress(source_->consumed(), source_->size());
      continue;
    }
    if (begin_ >= text_.size()) return false;
    whole_ = end != std::string::npos;
    const std::size_t stop = whole_ ? end : text_.size();
    *line = std::string_view(text_).substr(begin_, stop - begin_);
    begin_ = searched_ = whole_ ? end + 1 : text_.size();
    ++number_;
    if (line->find_first_not_of(" \t\r") != std::string_view::npos) return true;
  }
}

}  // namespace moescope

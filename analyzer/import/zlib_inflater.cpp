// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <limits>
#include <stdexcept>

#include "analyzer/import/inflater.h"

namespace moescope {
namespace {

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::runtime_error("zlib: can't start");
  }
  ~ZlibInflater() override { inflateEnd(&stream_); }
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;

  void start_member() override { inflateReset(&stream_); }

  Result inflate(const unsigned char* in, std::size_t in_size, unsigned char* out, std::size_t out_size) override {
    stream_.next_in = const_cast<unsigned char*>(in);  // zlib's interface predates const; it does not write there
    stream_.avail_in = clamp(in_size);
    stream_.next_out = out;
    stream_.avail_out = clamp(out_size);
    const unsigned in_before = stream_.avail_in, out_before = stream_.avail_out;
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    Result result;
    result.taken = in_before - stream_.avail_in;
    result.given = out_before - stream_.avail_out;
    if (code == Z_STREAM_END) {
      result.state = State::kMemberDone;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      result.state = State::kDamaged;
      result.trouble = stream_.msg ? stream_.msg : "invalid data";
    }
    return result;
  }

 private:
  static unsigned clamp(std::size_t size) {
    return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
  }
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Inflater> make_zlib_inflater() {
  return std::make_unique<ZlibInflater>();
}

}  // namespace moescope

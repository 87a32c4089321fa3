// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>

#include "analyzer/import/inflater.h"

#if MOESCOPE_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

namespace moescope {

#if MOESCOPE_HAVE_ISAL
namespace {

class IsalInflater final : public Inflater {
 public:
  IsalInflater() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }
  void start_member() override {
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  Result inflate(const unsigned char* in, std::size_t in_size, unsigned char* out, std::size_t out_size) override {
    state_.next_in = const_cast<std::uint8_t*>(in);  // only read
    state_.avail_in = clamp(in_size);
    state_.next_out = out;
    state_.avail_out = clamp(out_size);
    const std::uint32_t in_before = state_.avail_in, out_before = state_.avail_out;
    const int code = isal_inflate(&state_);
    Result result;
    result.taken = in_before - state_.avail_in;
    result.given = out_before - state_.avail_out;
    if (code < 0) {
      result.state = State::kDamaged;
      result.trouble = code == ISAL_INCORRECT_CHECKSUM   ? "incorrect checksum"
                       : code == ISAL_INVALID_WRAPPER    ? "invalid gzip header"
                       : code == ISAL_INVALID_LOOKBACK   ? "invalid distance"
                       : code == ISAL_UNSUPPORTED_METHOD ? "unknown compression method"
                                                         : "invalid data";
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      result.state = State::kMemberDone;
    }
    return result;
  }

 private:
  static std::uint32_t clamp(std::size_t size) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max()));
  }
  inflate_state state_{};
};

}  // namespace

std::unique_ptr<Inflater> make_isal_inflater() {
  return std::make_unique<IsalInflater>();
}
#else
std::unique_ptr<Inflater> make_isal_inflater() {
  return nullptr;
}
#endif

std::unique_ptr<Inflater> make_fastest_inflater() {
  auto fast = make_isal_inflater();
  return fast ? std::move(fast) : make_zlib_inflater();
}

}  // namespace moescope

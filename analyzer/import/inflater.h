#pragma once
// SPDX-License-Identifier: Apache-2.0
// One gzip member at a time, streaming. Two libraries behind one small interface: ISA-L inflates about three times as
// fast, zlib is everywhere.

#include <cstddef>
#include <memory>

namespace moescope {

class Inflater {
 public:
  enum class State { kMore, kMemberDone, kDamaged };
  struct Result {
    std::size_t taken = 0, given = 0;  // bytes of input used, bytes of output made
    State state = State::kMore;
    const char* trouble = "";  // where damaged
  };
  virtual ~Inflater() = default;
  virtual void start_member() = 0;  // before the first byte of each member's header
  // Header and trailer are read too, the checksum is verified. Any sizes of in and out will do.
  virtual Result inflate(const unsigned char* in, std::size_t in_size, unsigned char* out, std::size_t out_size) = 0;
};

std::unique_ptr<Inflater> make_zlib_inflater();
std::unique_ptr<Inflater> make_isal_inflater();  // nullptr where it was not built in
std::unique_ptr<Inflater> make_fastest_inflater();

}  // namespace moescope

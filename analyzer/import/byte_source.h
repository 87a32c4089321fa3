#pragma once
// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, one after another, inflated where the file is gzip. Whoever reads them need not know which.

#include <cstdint>
#include <memory>
#include <string>

namespace moescope {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills out with up to capacity bytes; 0 means the end. Throws TraceError where the file can't be read or its gzip
  // stream is damaged.
  virtual std::size_t read(char* out, std::size_t capacity) = 0;
  // Bytes of the file on disk taken so far, and in all: for progress and for places in error messages.
  virtual std::uint64_t consumed() const = 0;
  virtual std::uint64_t size() const = 0;
  // Why the bytes end early; empty where they don't. Only set where early ends were to be tolerated.
  virtual std::string early_end() const { return {}; }
};

enum class OnEarlyEnd { kThrow, kStop };  // of a gzip stream that is cut off; kStop is for salvage

// Opens a file and looks at its first bytes: gzip is inflated, anything else given as it is. Throws TraceError.
std::unique_ptr<ByteSource> open_bytes(const std::string& path, OnEarlyEnd early_end = OnEarlyEnd::kThrow);

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/npz_archive.h"

#include <zlib.h>

#include <cstdint>
#include <limits>

namespace moescope {
namespace {

constexpr std::string_view kMember("PK\x03\x04", 4), kEntry("PK\x01\x02", 4), kEnd("PK\x05\x06", 4);
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;
constexpr std::uint64_t kMostExpansion = 1032;  // deflate can't do more

// Little-endian; the caller has seen that there are so many bytes.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

struct Entry {
  std::string name;
  std::uint64_t method = 0, crc = 0, packed = 0, size = 0, offset = 0;
};

// Sizes that do not fit 32 bits stand in an extra field, in this order, each only where its place holds all ones.
bool take_wide(std::string_view extra, Entry& entry) {
  constexpr std::uint64_t kElsewhere = 0xffffffff;
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t id = number(extra, at, 2), length = number(extra, at + 2, 2);
    if (at + 4 + length > extra.size()) return false;
    if (id == 1) {
      std::size_t next = at + 4;
      const std::size_t end = next + length;
      for (std::uint64_t* field : {&entry.size, &entry.packed, &entry.offset}) {
        if (*field != kElsewhere) continue;
        if (next + 8 > end) return false;
        *field = number(extra, next, 8);
        next += 8;
      }
    }
    at += 4 + length;
  }
  return true;
}

bool inflate_all(std::string_view packed, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data()));  // it does not write there
  stream.avail_in = static_cast<unsigned>(packed.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  const int code = inflate(&stream, Z_FINISH);
  const bool whole = code == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole;
}

// Empty: what is wrong is in trouble.
std::string content(std::string_view bytes, const Entry& entry, std::string* trouble) {
  const auto fail = [&](const char* what) {
    *trouble = entry.name + ": " + what;
    return std::string();
  };
  if (entry.offset > bytes.size() || bytes.size() - entry.offset < 30 || bytes.substr(entry.offset, 4) != kMember)
    return fail("its place in the archive is wrong");
  const std::uint64_t begin =
      entry.offset + 30 + number(bytes, entry.offset + 26, 2) + number(bytes, entry.offset + 28, 2);
  if (begin > bytes.size() || entry.packed > bytes.size() - begin) return fail("the archive ends within it");
  if (entry.size > kMostBytes || entry.size > entry.packed * kMostExpansion + 64) return fail("its size is wrong");
  const std::string_view packed = bytes.substr(begin, entry.packed);
  std::string out;
  if (entry.method == 0) {
    if (entry.size != entry.packed) return fail("its size is wrong");
    out = packed;
  } else if (entry.method == 8) {
    out.resize(entry.size);
    if (packed.size() > std::numeric_limits<unsigned>::max() || !inflate_all(packed, out))
      return fail("its compressed bytes are damaged");
  } else {
    return fail("packed in a way other than deflate");
  }
  if (crc32(0, reinterpret_cast<const unsigned char*>(out.data()), static_cast<unsigned>(out.size())) != entry.crc)
    return fail("its checksum is wrong");
  if (out.empty()) return fail("it is empty");
  return out;
}

bool is_array(std::string_view name) {
  return name.ends_with(".npy");
}

}  // namespace

bool looks_like_npz(std::string_view head) {
  if (!head.starts_with(kMember) || head.size() < 30) return false;
  return is_array(head.substr(30, number(head, 26, 2)));
}

std::vector<NpzArray> npz_arrays(std::string_view bytes, std::string* trouble) {
  const std::size_t end = bytes.rfind(kEnd);
  if (end == std::string_view::npos || bytes.size() - end < 22) {
    *trouble = "the archive's directory is missing: it was cut short";
    return {};
  }
  std::size_t at = number(bytes, end + 16, 4);
  std::vector<NpzArray> arrays;
  for (std::uint64_t left = number(bytes, end + 10, 2); left > 0; --left) {
    if (at > end || end - at < 46 || bytes.substr(at, 4) != kEntry) {
      *trouble = "the archive's directory is damaged";
      return {};
    }
    const std::size_t name = number(bytes, at + 28, 2), extra = number(bytes, at + 30, 2),
                      comment = number(bytes, at + 32, 2);
    if (end - at - 46 < name + extra + comment) {
      *trouble = "the archive's directory is damaged";
      return {};
    }
    Entry entry{std::string(bytes.substr(at + 46, name)),
                number(bytes, at + 10, 2),
                number(bytes, at + 16, 4),
                number(bytes, at + 20, 4),
                number(bytes, at + 24, 4),
                number(bytes, at + 42, 4)};
    if (!take_wide(bytes.substr(at + 46 + name, extra), entry)) {
      *trouble = entry.name + ": its sizes are damaged";
      return {};
    }
    at += 46 + name + extra + comment;
    if (!is_array(entry.name)) continue;
    std::string found = content(bytes, entry, trouble);
    if (found.empty()) return {};
    arrays.push_back({entry.name.substr(0, entry.name.size() - 4), std::move(found)});
  }
  if (arrays.empty()) *trouble = "no array in the archive";
  return arrays;
}

}  // namespace moescope

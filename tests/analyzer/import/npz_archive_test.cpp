// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/npz_archive.h"

#include <zlib.h>

#include <random>

#include "analyzer/import/importer.h"
#include "analyzer/model/trace_error.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

std::string little(std::uint64_t value, int width) {
  std::string result;
  for (int i = 0; i < width; ++i) result += static_cast<char>(value >> (8 * i));
  return result;
}
std::string deflated(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(text.size() + 1000, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<unsigned>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
// As numpy.savez writes: sizes of the members' own headers stand in their wide fields.
std::string archive(const std::vector<NpzArray>& arrays, bool packed, bool wide) {
  std::string file, directory;
  for (const NpzArray& array : arrays) {
    const std::string name = array.name + ".npy", bytes = packed ? deflated(array.bytes) : array.bytes;
    const std::uint64_t crc =
        crc32(0, reinterpret_cast<const unsigned char*>(array.bytes.data()), static_cast<unsigned>(array.bytes.size()));
    const std::uint64_t offset = file.size(), method = packed ? 8 : 0, all_ones = 0xffffffff;
    file += "PK\x03\x04" + little(45, 2) + little(0, 2) + little(method, 2) + little(0, 4) + little(crc, 4) +
            little(all_ones, 4) + little(all_ones, 4) + little(name.size(), 2) + little(20, 2) + name + little(1, 2) +
            little(16, 2) + little(array.bytes.size(), 8) + little(bytes.size(), 8) + bytes;
    const std::string extra =
        wide ? little(1, 2) + little(16, 2) + little(array.bytes.size(), 8) + little(bytes.size(), 8) : std::string();
    directory += "PK\x01\x02" + little(45, 2) + little(45, 2) + little(0, 2) + little(method, 2) + little(0, 4) +
                 little(crc, 4) + little(wide ? all_ones : bytes.size(), 4) +
                 little(wide ? all_ones : array.bytes.size(), 4) + little(name.size(), 2) + little(extra.size(), 2) +
                 little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) + little(offset, 4) + name + extra;
  }
  return file + directory + "PK\x05\x06" + little(0, 4) + little(arrays.size(), 2) + little(arrays.size(), 2) +
         little(directory.size(), 4) + little(file.size(), 4) + little(0, 2);
}
std::string npy(std::int64_t first) {
  std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = std::string("\x93NUMPY\x01\x00", 8) + little(header.size(), 2) + header;
  for (std::int64_t i = 0; i < 4; ++i) file += little(static_cast<std::uint64_t>(first + i), 8);
  return file;
}
Trace load(const std::string& bytes) {
  const test::ScratchFolder folder;
  test::write_file(folder / "loads.npz", bytes);
  return load_trace({folder / "loads.npz"}, "auto", {});
}
std::string refusal(const std::string& bytes) {
  try {
    load(bytes);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("arrays of an archive are read, stored and deflated, with narrow and wide sizes") {
  for (const bool packed : {false, true})
    for (const bool wide : {false, true}) {
      const Trace one = load(archive({{"counts", npy(5)}}, packed, wide));
      REQUIRE(one.router_loads.size() == 4);
      CHECK(one.router_loads[3].assigned == 8);
      const Trace named = load(archive({{"other", npy(50)}, {"logical_count", npy(7)}}, packed, wide));
      REQUIRE(named.router_loads.size() == 4);
      CHECK(named.router_loads[0].assigned == 7);
    }
}

TEST_CASE("an archive that can't be read says what is wrong; any damage is a refusal or the same counts") {
  CHECK(refusal(archive({{"a", npy(1)}, {"b", npy(2)}}, true, true)).find("several arrays: a, b") != std::string::npos);
  const std::string good = archive({{"counts", npy(5)}}, true, true);
  CHECK(refusal(good.substr(0, good.size() - 30)).find("it was cut short") != std::string::npos);
  std::string torch = archive({{"counts", npy(5)}}, false, true);
  torch.replace(torch.find("counts.npy"), 10, "counts.pkl");
  CHECK(refusal(torch).find("zip archive") != std::string::npos);
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string bad = good;
    bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    try {
      const Trace trace = load(bad);
      CHECK(trace.router_loads.at(3).assigned == 8);  // its checksum holds
    } catch (const TraceError&) {
    }
  }
}

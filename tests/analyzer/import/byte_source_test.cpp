// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/byte_source.h"

#include <random>

#include "analyzer/import/inflater.h"
#include "analyzer/model/trace_error.h"
#include "tests/analyzer/import/gzip_text.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
using test::gzipped;

namespace {

std::string text_of(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += "\"name\": \"kernel_" + std::to_string(random() % 1000) + "\", ";
  text.resize(size);
  return text;
}

std::string read_all(ByteSource& source, std::size_t piece) {
  std::string text, part(piece, '\0');
  while (const std::size_t got = source.read(part.data(), part.size())) text.append(part, 0, got);
  return text;
}

std::string message_of(const std::string& path) {
  try {
    const auto source = open_bytes(path);
    read_all(*source, 4096);
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

// Everything through one inflater, given in pieces of the sizes asked for.
std::string inflated(Inflater& inflater, const std::string& packed, std::size_t in_piece, std::size_t out_piece,
                     Inflater::State& state) {
  inflater.start_member();
  std::string out, piece(out_piece, '\0');
  std::size_t used = 0;
  state = Inflater::State::kMore;
  while (state == Inflater::State::kMore) {
    const std::size_t give = std::min(in_piece, packed.size() - used);
    const auto result = inflater.inflate(reinterpret_cast<const unsigned char*>(packed.data()) + used, give,
                                         reinterpret_cast<unsigned char*>(piece.data()), piece.size());
    used += result.taken;
    out.append(piece, 0, result.given);
    state = result.state;
    if (state == Inflater::State::kMore && result.taken == 0 && result.given == 0) break;
  }
  return out;
}

}  // namespace

TEST_CASE("both inflaters give back what went in, in pieces of any size") {
  const std::string text = text_of(100'000, 1), packed = gzipped(text);
  std::vector<std::unique_ptr<Inflater>> inflaters;
  inflaters.push_back(make_zlib_inflater());
  if (auto isal = make_isal_inflater()) inflaters.push_back(std::move(isal));
  for (const auto& inflater : inflaters)
    for (const auto& [in_piece, out_piece] : {std::pair<std::size_t, std::size_t>{1, 7}, {13, 1}, {1 << 20, 1 << 20}}) {
      Inflater::State state;
      CHECK(inflated(*inflater, packed, in_piece, out_piece, state) == text);
      CHECK(state == Inflater::State::kMemberDone);
    }
}

TEST_CASE("both inflaters notice a damaged stream and a wrong checksum") {
  const std::string text = text_of(100'000, 2), packed = gzipped(text);
  std::vector<std::unique_ptr<Inflater>> inflaters;
  inflaters.push_back(make_zlib_inflater());
  if (auto isal = make_isal_inflater()) inflaters.push_back(std::move(isal));
  std::string wrong_checksum = packed;
  wrong_checksum[packed.size() - 7] = static_cast<char>(wrong_checksum[packed.size() - 7] ^ 1);
  std::string no_gzip = packed;
  no_gzip[2] = 9;  // compression method
  for (const auto& inflater : inflaters)
    for (const std::string& bad : {wrong_checksum, no_gzip}) {
      Inflater::State state;
      inflated(*inflater, bad, 1000, 1000, state);
      CHECK(state == Inflater::State::kDamaged);
    }
}

TEST_CASE("plain files, gzip files of several members and padded ones read the same") {
  const test::ScratchFolder folder;
  const std::string a = text_of(70'000, 3), b = text_of(50'000, 4);
  test::write_file(folder / "plain", a + b);
  test::write_file(folder / "one.gz", gzipped(a + b));
  test::write_file(folder / "two.gz", gzipped(a) + gzipped("") + gzipped(b));
  test::write_file(folder / "padded.gz", gzipped(a + b) + std::string(600'000, '\0'));
  for (const char* name : {"plain", "one.gz", "two.gz", "padded.gz"})
    for (const std::size_t piece : {1u, 1000u, 1u << 20}) {
      INFO(name << " in pieces of " << piece);
      const auto source = open_bytes(folder / name);
      CHECK(read_all(*source, piece) == a + b);
      CHECK(source->consumed() == source->size());
    }
}

TEST_CASE("short plain files read whole, to the byte") {
  const test::ScratchFolder folder;
  for (const std::string text : {"", "x", "\x1f", "ab", "abc"}) {
    test::write_file(folder / "f", text);
    CHECK(read_all(*open_bytes(folder / "f"), 16) == text);
  }
}

TEST_CASE("a gzip file that is cut off names itself and the compressed byte; salvage keeps what is there") {
  const test::ScratchFolder folder;
  const std::string text = text_of(400'000, 5), packed = gzipped(text);
  const std::string path = folder / "cut.json.gz";
  const std::size_t cut = packed.size() / 2;
  test::write_file(path, packed.substr(0, cut));
  const std::string message = message_of(path);
  CHECK(message.starts_with(path + ": compressed byte " + std::to_string(cut) + ": "));
  CHECK(message.find("cut off") != std::string::npos);
  CHECK(message.find("--salvage") != std::string::npos);

  const auto source = open_bytes(path, OnEarlyEnd::kStop);
  const std::string got = read_all(*source, 1000);
  CHECK(got.size() > 100'000);
  CHECK(text.starts_with(got));
  CHECK(source->early_end() == "the gzip stream is cut off at compressed byte " + std::to_string(cut));
}

TEST_CASE("a damaged gzip file names itself and the compressed byte") {
  const test::ScratchFolder folder;
  std::string packed = gzipped(text_of(400'000, 6));
  for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 40; ++i) packed[i] = '\xff';
  const std::string path = folder / "bad.json.gz";
  test::write_file(path, packed);
  const std::string message = message_of(path);
  CHECK(message.starts_with(path + ": compressed byte "));
  CHECK(message.find("damaged gzip stream") != std::string::npos);
  test::write_file(path, gzipped("whole") + "more");
  CHECK(message_of(path).find("something follows") != std::string::npos);
}

TEST_CASE("a missing file and a directory are errors that name them") {
  const test::ScratchFolder folder;
  CHECK(message_of(folder / "nothing").find("No such file") != std::string::npos);
  CHECK(message_of(folder.path()).find("is a directory") != std::string::npos);
}

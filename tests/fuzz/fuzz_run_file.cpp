// SPDX-License-Identifier: Apache-2.0
// Damaged run files, and damaged -wal files beside whole ones: a trace or a TraceError, never anything else.
#include <filesystem>

#include "analyzer/import/importer.h"
#include "analyzer/stage/attribution.h"
#include "analyzer/store/run_file_export.h"
#include "analyzer/store/trace_reader.h"
#include "collector/trace/trace_writer.h"
#include "tests/fuzz/mutate.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
namespace fs = std::filesystem;

namespace {

bool read_and_attribute(const std::string& path) {
  try {
    TraceBuilder builder;
    read_run_file(path, builder);
    const Trace trace = builder.finish();
    REQUIRE(attribute(trace).stage.size() == trace.spans.size());
    return true;
  } catch (const TraceError& error) {
    REQUIRE(std::string(error.what()).starts_with(path));
    return false;
  }
}

}  // namespace

TEST_CASE("a damaged run file is read or refused, never a crash") {
  const test::ScratchFolder folder;
  const Trace source = load_trace({MOESCOPE_SOURCE_DIR "/samples/traces/tiny_deepep.json"}, "auto", {});
  const std::string good = test::contents(write_run_file(source, folder / "run", "0.0.0"));
  const std::string path = folder / "bad.moe.db";
  test::Mutator mutator(4, {"SQLite format 3", std::string(8, '\xff'), std::string(8, '\0'), "span", "CREATE TABLE"});
  std::size_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = good;
    // Most of a small database is empty space, so its pages are hit many times over, and its first page more often.
    for (std::size_t hits = 0; hits < 40; ++hits)
      bytes[mutator.below(i % 2 ? 16'384 : bytes.size())] = static_cast<char>(mutator.below(256));
    if (i % 3 == 0) bytes = mutator.mutate(bytes);
    test::write_file(path, bytes);
    INFO("round " << i);
    refused += !read_and_attribute(path);
  }
  CHECK(refused > 100);
}

TEST_CASE("a damaged -wal costs its rows, never a crash") {
  const test::ScratchFolder folder;
  std::string error;
  const auto writer = trace::TraceWriter::create(folder / "live.moe.db", {}, {}, {}, &error);
  REQUIRE(writer);
  writer->clock({});
  writer->track({});
  for (int i = 0; i < 200; ++i) {
    trace::SpanRow span;
    span.start_rel = i;
    span.name = writer->name("name " + std::to_string(i % 7));
    span.context = writer->context({});
    writer->span(span);
    if (i % 50 == 0) REQUIRE(writer->flush());
  }
  REQUIRE(writer->flush());
  const std::string database = test::contents(folder / "live.moe.db"), wal = test::contents(folder / "live.moe.db-wal");
  test::Mutator mutator(5, {std::string(8, '\xff'), std::string(8, '\0')});
  const std::string path = folder / "killed.moe.db";
  std::size_t read = 0;
  for (int i = 0; i < 150; ++i) {
    test::write_file(path, database);
    test::write_file(path + "-wal", mutator.mutate(wal));
    INFO("round " << i);
    read += read_and_attribute(path);
  }
  CHECK(read > 75);
}

// SPDX-License-Identifier: Apache-2.0
// How fast the Kineto importer is on one core, beside what bounds it, in the same run: reading, inflating,
// and what simdjson alone does with the same text when all of it lies in memory.
//   bench_import [MEGABYTES | FILE]...      default: a made-up trace of 200 MB, plain and gzip
//   bench_import --stream GIGABYTES         memory of an import as long as you like, through a pipe
#include <fmt/core.h>
#include <malloc.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <vector>

#include "analyzer/import/byte_source.h"
#include "analyzer/import/importer.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

// CPU seconds of this thread, the median of five: on a shared machine the wall clock measures the others.
double seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    work();
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// As Kineto writes it: two host events and a flow for each kernel, 60 kernel names of 60 to 400 characters.
void write_trace(const std::string& path, double bytes) {
  std::mt19937 random(1);
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i)
    names.push_back("void example::kernel_" + std::to_string(i) + "<" + std::string(random() % 340 + 40, 'T') +
                    ">(int*, float const*)");
  std::ofstream out(path, std::ios::binary);
  out << "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 0, \"world_size\": 8}, \"traceEvents\": [\n";
  double written = 0;
  for (std::uint64_t i = 1; written < bytes; ++i) {
    const std::uint64_t ts = 1'740'461'679'000'000 + i * 12;
    const std::string text = fmt::format(
        "  {{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op_{0}\", \"pid\": 100, \"tid\": 100,\n    "
        "\"ts\": {1}.125, \"dur\": 9.500,\n"
        "    \"args\": {{\n      \"External id\": {2}, \"Record function id\": 0, \"Ev Idx\": {2}\n    }}\n  }},\n"
        "  {{\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 100, \"tid\": "
        "100,\n    \"ts\": {1}.875, \"dur\": 3.250,\n"
        "    \"args\": {{\n      \"External id\": {2}, \"cbid\": 211, \"correlation\": {2}\n    }}\n  }},\n"
        "  {{\n    \"ph\": \"s\", \"id\": {2}, \"pid\": 100, \"tid\": 100, \"ts\": {1}.875,\n    \"cat\": \"ac2g\", "
        "\"name\": \"ac2g\"\n  }},\n"
        "  {{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{3}\", \"pid\": 0, \"tid\": {4},\n    \"ts\": "
        "{5}.500, \"dur\": 10.750,\n"
        "    \"args\": {{\n      \"External id\": {2}, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": {4}, "
        "\"correlation\": {2},\n"
        "      \"registers per thread\": 32, \"shared memory\": 0, \"blocks per SM\": 1.5, \"warps per SM\": 12.0,\n"
        "      \"grid\": [198, 1, 1], \"block\": [256, 1, 1], \"est. achieved occupancy %\": 19\n    }}\n  }}",
        random() % 200, ts, i, names[random() % names.size()], 7 + i % 4, ts + 40);
    written += static_cast<double>(text.size() + 2);
    out << text << (written < bytes ? ",\n" : "\n");
  }
  out << "], \"traceName\": \"bench.json\"}\n";
}

void compress(const std::string& from, const std::string& to) {
  std::ifstream in(from, std::ios::binary);
  const gzFile out = gzopen(to.c_str(), "wb6");
  std::vector<char> part(1 << 20);
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())), in.gcount() > 0)
    gzwrite(out, part.data(), static_cast<unsigned>(in.gcount()));
  gzclose(out);
}

// What simdjson alone takes to walk over every event of a text in memory and look at the fields that the importer looks
// at: its on-demand parser over the whole text, one pass, numbers as their digits and strings unescaped; for device
// work and calls also device, stream, correlation and bytes of their args. No span is made of it. Returns the events.
std::size_t walk(simdjson::ondemand::parser& parser, const simdjson::padded_string& text, std::size_t& touched) {
  namespace ondemand = simdjson::ondemand;
  std::size_t events = 0;
  const auto touch = [&touched](ondemand::value value) {
    if (value.type() == ondemand::json_type::string)
      touched += std::string_view(value.get_string()).size();
    else
      touched += value.raw_json_token().size();
  };
  ondemand::document document = parser.iterate(text);
  for (ondemand::object event : document["traceEvents"]) {
    ++events;
    std::string_view category;
    for (auto field : event) {
      const ondemand::raw_json_string key = field.key();
      const auto is = [&key](const char* name) { return key.unsafe_is_equal(name); };
      if (is("cat")) {
        category = field.value().get_string();
      } else if (is("ph") || is("name") || is("ts") || is("dur") || is("pid") || is("tid")) {
        touch(field.value());
      } else if (is("args") && (category == "kernel" || category == "cuda_runtime")) {
        for (auto arg : ondemand::object(field.value())) {
          const ondemand::raw_json_string name = arg.key();
          if (name.unsafe_is_equal("device") || name.unsafe_is_equal("stream") || name.unsafe_is_equal("correlation") ||
              name.unsafe_is_equal("bytes"))
            touch(arg.value());
        }
      }
    }
  }
  return events;
}

// A line of /proc/self/status, in bytes.
double memory(const std::string& line) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kilobytes = 0; word == line && status >> kilobytes) return kilobytes * 1024;
  return 0;
}

// Imports in a process of its own, so that the peak is the import's: what is resident at most, sorting included, less
// what was there before, a span.
void measure_memory(const std::string& path, const char* what) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    malloc_trim(0);                                   // what earlier rounds left free must not be taken again unseen
    std::ofstream("/proc/self/clear_refs") << "5\n";  // and their peak is not this one's
    const double before = memory("VmRSS:");
    timespec from{}, to{};
    clock_gettime(CLOCK_MONOTONIC, &from);
    const Trace trace = load_trace({path}, "auto", {});
    clock_gettime(CLOCK_MONOTONIC, &to);
    const auto spans = static_cast<double>(trace.spans.size());
    fmt::print("  {:<46} {:7.1f} bytes a span at the peak, {:.1f} afterwards ({:.2f} M spans, {:.0f} s)\n", what,
               (memory("VmHWM:") - before) / spans, (memory("VmRSS:") - before) / spans, spans / 1e6,
               static_cast<double>(to.tv_sec - from.tv_sec));
    std::fflush(stdout);
    _exit(0);
  }
  test::wait_for(child);
}

// A file of any length through a pipe, never on a disk.
void measure_stream(const std::string& folder, double gigabytes) {
  const std::string pipe = folder + "/pipe";
  if (mkfifo(pipe.c_str(), 0600) != 0) std::abort();
  const pid_t writer = fork();
  if (writer == 0) {
    write_trace(pipe, gigabytes * 1e9);
    _exit(0);
  }
  fmt::print("made up, {} GB through a pipe\n", gigabytes);
  measure_memory(pipe, "import");
  test::wait_for(writer);
}

void measure(const std::string& path) {
  std::uint64_t bytes = 0;
  const double reading = seconds([&] {
    const auto source = open_bytes(path);
    std::vector<char> part(1 << 20);
    bytes = 0;
    while (const std::size_t got = source->read(part.data(), part.size())) bytes += got;
  });
  const auto megabytes = static_cast<double>(bytes) / 1e6;
  simdjson::padded_string text;
  {
    const auto source = open_bytes(path);
    simdjson::padded_string all(bytes);
    std::size_t at = 0;
    while (const std::size_t got = source->read(all.data() + at, bytes - at)) at += got;
    text = std::move(all);
  }
  std::size_t events = 0, touched = 0;
  simdjson::ondemand::parser parser;
  const double walking = seconds([&] { events = walk(parser, text, touched); });
  const double parsing = seconds([&] {
    simdjson::dom::parser dom;
    touched += dom.parse(text).get_object().size();
  });
  text = simdjson::padded_string();
  std::size_t spans = 0;
  const double importing = seconds([&] { spans = load_trace({path}, "auto", {}).spans.size(); });
  fmt::print("{}: {:.0f} MB, {} events, {} spans, {:.0f} bytes of text an event\n",
             std::filesystem::path(path).filename().string(), megabytes, events, spans,
             static_cast<double>(bytes) / static_cast<double>(events));
  const auto line = [&](const char* what, double time) {
    fmt::print("  {:<46} {:7.3f} s  {:7.0f} MB/s  {:6.2f} M events/s\n", what, time, megabytes / time,
               static_cast<double>(events) / time / 1e6);
  };
  line("read (and inflate)", reading);
  line("simdjson alone, on demand, text in memory", walking);
  line("simdjson alone, whole tree, text in memory", parsing);
  line("import: file to sorted spans", importing);
  measure_memory(path, "memory of an import");
  fmt::print("  import / simdjson alone on demand: {:.2f}{}\n", walking / importing, touched == 0 ? " (?)" : "");
}

}  // namespace

int main(int argc, char** argv) {
  const test::ScratchFolder folder;
  std::vector<std::string> what(argv + 1, argv + argc);
  if (what.empty()) what.emplace_back("200");
  if (what.size() == 2 && what[0] == "--stream") {
    measure_stream(folder.path(), std::atof(what[1].c_str()));
    return 0;
  }
  for (const std::string& each : what) {
    if (std::filesystem::exists(each)) {
      measure(each);
      continue;
    }
    const std::string plain = folder / "made_up.json", packed = folder / "made_up.json.gz";
    write_trace(plain, std::atof(each.c_str()) * 1e6);
    compress(plain, packed);
    measure(plain);
    measure(packed);
  }
}

// SPDX-License-Identifier: Apache-2.0
// The program as users meet it: help, versions, where output goes, and a real trace.
#include <simdjson.h>

#include <filesystem>
#include <map>

#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope::test;

namespace {

const char* const kTiny =
    R"({"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 0, "dur": 10, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 8, "ts": 5, "dur": 10,
 "args": {"device": 0, "stream": 8}}]})";

Ran moescope_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program("moescope"));
  return run(arguments);
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

double number(simdjson::dom::element value) {
  double out = 0;
  REQUIRE(value.get_double().get(out) == simdjson::SUCCESS);
  return out;
}

}  // namespace

TEST_CASE("every command helps with examples, and says its version") {
  CHECK(moescope_run({"--help"}).exit_code == 0);
  CHECK(moescope_run({"--version"}).out == moescope_run({"report", "--version"}).out);
  for (const char* command : {"record", "import", "report", "compare", "gate", "rules"}) {
    CAPTURE(command);
    const Ran help = moescope_run({command, "--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    CHECK(help.out.find("Examples:\n") != std::string::npos);
    CHECK(help.out.find(std::string("moescope ") + command) != std::string::npos);
    CHECK(moescope_run({"--help"}).out.find(command) != std::string::npos);
  }
}

TEST_CASE("an output file appears whole or not at all; '-' is standard output; a pipe gets no colours") {
  const ScratchFolder folder;
  const std::string trace = folder / "tiny.json", report = folder / "report.json";
  write_file(trace, kTiny);
  const Ran direct = moescope_run({"report", "--format", "json", trace});
  CHECK(direct.exit_code == 0);
  CHECK(direct.err.empty());
  CHECK(moescope_run({"report", "--format", "json", trace, "-o", report}).out.empty());
  CHECK(contents(report) == direct.out);
  CHECK(moescope_run({"report", "--format", "json", trace, "-o", "-"}).out == direct.out);
  CHECK(files_in(folder.path()) == 2);
  CHECK(moescope_run({"report", trace}).out.find('\033') == std::string::npos);
  if (std::filesystem::exists("/dev/full")) {
    const Ran full = moescope_run({"report", trace, "-o", "/dev/full"});
    CHECK(full.exit_code == 2);
    CHECK(full.error_lines() == 1);
  }
  // What was there stays when a new report can't be made.
  CHECK(moescope_run({"report", folder / "missing", "-o", report}).exit_code == 2);
  CHECK(contents(report) == direct.out);
}

TEST_CASE("an error is one line even where the file's name holds several") {
  const Ran ran = moescope_run({"report", "no\nsuch\nfile\x1b[31m"});
  CHECK(ran.exit_code == 2);
  CHECK(ran.error_lines() == 1);
  CHECK(ran.err.find('\x1b') == std::string::npos);
}

TEST_CASE("imported once, reported alike: a trace and the run file made of it") {
  const ScratchFolder folder;
  write_file(folder / "tiny.json", kTiny);
  const Ran imported = moescope_run({"import", folder / "tiny.json", "-o", folder / "run"});
  CHECK(imported.exit_code == 0);
  CHECK(moescope_run({"import", "-q", folder / "tiny.json", "-o", folder / "quiet"}).out.empty());
  const auto ranks = [](const std::string& text) {
    const std::size_t from = text.find("\"ranks\": [");
    return text.substr(from, text.find("\"layers\"") - from);
  };
  CHECK(ranks(moescope_run({"report", "--format", "json", folder / "run"}).out) ==
        ranks(moescope_run({"report", "--format", "json", folder / "tiny.json"}).out));
  // Half a trace: refused, or salvaged and marked.
  write_file(folder / "half.json", std::string(kTiny).substr(0, 160));
  CHECK(moescope_run({"import", folder / "half.json", "-o", folder / "half"}).exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "half"));
  CHECK(moescope_run({"import", "--salvage", folder / "half.json", "-o", folder / "half"}).exit_code == 0);
  CHECK(moescope_run({"report", folder / "half"}).out.find("The run was cut short") != std::string::npos);
}

TEST_CASE("DeepSeek's published training trace: the figures an independent computation gives") {
  const std::string path = MOESCOPE_SOURCE_DIR "/../shared/data/traces/kineto/deepseek_profile_data/train.json.gz";
  if (!std::filesystem::exists(path)) MOESCOPE_SKIP("the real traces are not here (../shared/data/traces)");
  const Ran ran = moescope_run({"report", "--format", "json", path});
  REQUIRE(ran.exit_code == 0);
  simdjson::dom::parser parser;
  const simdjson::dom::element report = parser.parse(ran.out);
  const simdjson::dom::element rank = report["ranks"].at(0);
  CHECK(number(rank["span_ns"]) == 129012000);
  CHECK(number(rank["busy_ns"]) == 128515000);
  CHECK(number(rank["compute_ns"]) == 124310000);
  CHECK(number(rank["comm_ns"]) == 113440000);
  CHECK(number(rank["comm_control_ns"]) == 23610000 + 8968000 + 410000);  // cached_notify, notify_dispatch, layout
  CHECK(number(rank["exposed_comm_ns"]) == 4190000);
  CHECK(number(rank["hidden_fraction"]) == Approx(0.9631).margin(0.00005));
  std::map<std::string, double> exposed;
  for (const simdjson::dom::element one : simdjson::dom::array(report["annotations"]))
    exposed[std::string(std::string_view(one["name"]))] = number(one["exposed_comm_ns"]["median"]);
  CHECK(exposed["dispatch(F)"] == Approx(255e3).margin(1e3));
  CHECK(exposed["dispatch(B)"] == Approx(1897e3).margin(1e3));
  CHECK(exposed["combine(F)"] == Approx(653e3).margin(1e3));
  CHECK(exposed["combine(B)"] == Approx(1385e3).margin(1e3));
  // The other tools' meanings of hidden, as those tools computed them once the kernels' names were mended.
  const auto with = [&](const char* definition) {
    simdjson::dom::parser own;
    const simdjson::dom::element other =
        own.parse(moescope_run({"report", "--format", "json", "--definition", definition, path}).out);
    return std::pair(number(other["ranks"].at(0)["exposed_comm_ns"]), number(other["ranks"].at(0)["hidden_fraction"]));
  };
  CHECK(with("hta").first == 4190000);
  CHECK(with("tracelens").first == 4177000);
  CHECK(with("nsys").second == Approx(0.9631).margin(0.00005));
}

// SPDX-License-Identifier: Apache-2.0
// The JSON account as a script reads it, and the program as a shell sees it.
#include "reference_kernels/job/job_output.h"

#include <simdjson.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "tests/support/catch.h"

namespace {

struct Outcome {
  int status;
  std::string out;
};
// Standard error is part of `out` where merge is set.
Outcome shell(const std::string& arguments, bool merge = false) {
  const std::string command =
      std::string(MOESCOPE_BUILD_DIR) + "/bin/moescope-refmoe " + arguments + (merge ? " 2>&1" : "");
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Outcome outcome{-1, {}};
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return outcome;
}

}  // namespace

TEST_CASE("the JSON account is valid and holds what the interface promises") {
  const Outcome run = shell("--tokens 32 --steps 2 --layers 3 --waves 2 --check --json");
  REQUIRE(run.status == 0);
  simdjson::dom::parser parser;
  const simdjson::padded_string text(run.out);
  const simdjson::dom::element json = parser.parse(text);
  CHECK(std::string_view(json["schema"]) == "moescope.refmoe/1");
  CHECK(std::string_view(json["schedule"]) == "wave");
  CHECK(std::string_view(json["backend"]) == "cpu");
  CHECK(std::string_view(json["clock"]) == "virtual");
  CHECK(int64_t(json["ranks"]) == 4);
  CHECK(int64_t(json["waves"]) == 2);
  CHECK(int64_t(json["layers"]) == 3);
  CHECK(int64_t(json["steps"]) == 2);
  const double makespan = json["makespan_ns"].get_double(), serial = json["serial_ns"].get_double();
  CHECK(double(json["achieved_over_ideal"]) == Approx(double(json["ideal_ns"]) / makespan).epsilon(1e-12));
  CHECK(double(json["speedup_over_serial"]) == Approx(serial / makespan).epsilon(1e-12));
  CHECK(double(json["bound_ns"]) <= makespan);
  int rows = 0;
  double busy = 0;
  for (simdjson::dom::element row : json["stages"].get_array()) {
    CHECK(int64_t(row["rank"]) == rows / 5);
    CHECK(
        std::string_view(row["stage"]) ==
        std::array<std::string_view, 5>{"dispatch", "l1", "act", "l2", "combine"}[static_cast<std::size_t>(rows % 5)]);
    CHECK(int64_t(row["spans"]) == 2 * 3 * 2);
    CHECK(int64_t(row["bytes"]) >= 0);
    CHECK(int64_t(row["flops"]) >= 0);
    busy += double(row["time_ns"]);
    ++rows;
  }
  CHECK(rows == 4 * 5);
  CHECK(busy > 0);
  CHECK(json["tokens_per_expert"].get_array().size() == 3);
  CHECK(json["tokens_per_expert"].at(0).get_array().size() == 32);
  CHECK(std::string_view(json["checksum"]).size() == 16);
  CHECK(double(json["oracle_rel_l2"]) <= 1e-5);
  CHECK(json["truth"]["fault"].is_null());
}

TEST_CASE("what was not computed is null") {
  const Outcome run = shell("--steps 1 --json");
  simdjson::dom::parser parser;
  const simdjson::padded_string text(run.out);
  const simdjson::dom::element json = parser.parse(text);
  CHECK(json["checksum"].is_null());
  CHECK(json["oracle_rel_l2"].is_null());
}

TEST_CASE("virtual runs are the same to the letter") {
  const std::string arguments = "--routing zipf:1.1 --seed 5 --steps 2 --check --json";
  CHECK(shell(arguments).out == shell(arguments).out);
}

TEST_CASE("wrong usage: status 2 and one line on standard error, nothing on standard output") {
  for (const char* arguments :
       {"--schedule ring", "--backend cuda", "--waves 99", "--ranks x", "--nonsense", "stray"}) {
    const Outcome merged = shell(std::string(arguments) + " --json", true);
    CHECK(merged.status == 2);
    CHECK(merged.out.starts_with("moescope-refmoe: "));
    CHECK(merged.out.find('\n') == merged.out.size() - 1);
    CHECK(shell(std::string(arguments) + " --json 2>/dev/null").out.empty());
  }
}

TEST_CASE("people get a table, --quiet nothing") {
  const Outcome table = shell("--preset figure5 --waves 2");
  CHECK(table.status == 0);
  for (const char* word : {"wave schedule, 2 waves", "dispatch", "combine", "makespan", "1.224 x"}) {
    CHECK(table.out.find(word) != std::string::npos);
  }
  const Outcome quiet = shell("--preset figure5 --quiet", true);
  CHECK((quiet.status == 0 && quiet.out.empty()));
  CHECK(shell("list").out.find("figure5") != std::string::npos);
  CHECK(shell("--help").status == 0);
  CHECK(shell("--version").status == 0);
}

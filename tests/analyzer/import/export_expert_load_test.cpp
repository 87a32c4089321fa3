// SPDX-License-Identifier: Apache-2.0
// The exporter of pickled expert loads, run as a user runs it, and what comes of its output.
#include <map>

#include "analyzer/import/importer.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
using test::Ran;

namespace {

const std::string kScript = MOESCOPE_SOURCE_DIR "/samples/expert_load/export_expert_load.py";

bool has_module(const std::string& module) {
  return test::run({"python3", "-c", "import " + module}).exit_code == 0;
}
void make(const std::string& path, const std::string& code) {
  const Ran ran = test::run({"python3", "-c", "import pickle, sys\npath = sys.argv[1]\n" + code, path});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
}
std::string dump(const std::string& value) {
  return "with open(path, 'wb') as f: pickle.dump(" + value + ", f)";
}
std::map<std::tuple<int, int, int, int>, std::int64_t> counts(const std::string& path) {
  std::map<std::tuple<int, int, int, int>, std::int64_t> result;
  for (const RouterLoad& load : load_trace({path}, "auto", {}).router_loads)
    result[{load.step.value, load.layer.value, load.rank.value, load.expert.value}] = load.assigned;
  return result;
}

}  // namespace

TEST_CASE("a recorder's pickle becomes lines that are read; skipped layers and files of one run are what they were") {
  if (!has_module("json")) MOESCOPE_SKIP("no python3");
  const test::ScratchFolder folder;
  make(folder / "a.pt", dump("{'rank': 3, 'logical_count': [[[0, 0], [5, 1.0]], [[0, 0], [7, 2]]]}"));
  make(folder / "b.pt", dump("{'rank': 4, 'logical_count': [[[0, 0], [10, 20]]]}"));
  Ran ran = test::run({"python3", kScript, folder / "a.pt", folder / "b.pt", "-o", folder / "loads.jsonl"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK(counts(folder / "loads.jsonl") ==
        std::map<std::tuple<int, int, int, int>, std::int64_t>{
            {{0, 1, -1, 0}, 15}, {{0, 1, -1, 1}, 21}, {{1, 1, -1, 0}, 7}, {{1, 1, -1, 1}, 2}});
  ran = test::run({"python3", kScript, folder / "b.pt", "--per-rank"});
  CHECK(ran.out == "{\"layer\": 1, \"tpe\": [10, 20], \"step\": 0, \"rank\": 4}\n");
}

TEST_CASE("what the exporter can't read is one line, exit 2, no file") {
  if (!has_module("json")) MOESCOPE_SKIP("no python3");
  const test::ScratchFolder folder;
  struct Row {
    std::string code, said;
  };
  const Row rows[] = {
      {dump("{'logical_count': [[1, 2.5]]}"), "step 0, layer 0: 2.5 is no count"},
      {dump("{'logical_count': [1, 2]}"), "logical_count is 1 deep"},
      {dump("{'other': 1}"), "no logical_count in it; it has other"},
      {dump("{'records': []}"), "record in the mode stat"},
      {dump("[1]"), "holds list"},
      {dump("{'logical_count': [[0, 0]]}"), "no tokens in it"},
      {dump("pickle.Unpickler"), "the pickle holds _pickle.Unpickler"},
      {"open(path, 'wb').write(pickle.dumps({'logical_count': [[1, 2]]})[:20])", "not a whole pickle"},
      {"open(path, 'w').write('text')", "neither a pickle"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.code);
    make(folder / "in.pt", row.code);
    const Ran ran = test::run({"python3", kScript, folder / "in.pt", "-o", folder / "out.jsonl"});
    CHECK(ran.exit_code == 2);
    CHECK(ran.error_lines() == 1);
    CHECK(ran.err.find(row.said) != std::string::npos);
    CHECK(ran.err.find("in.pt: ") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder / "out.jsonl"));
  }
  CHECK(test::run({"python3", kScript, folder / "missing.pt"}).exit_code == 2);
  CHECK(test::run({"python3", kScript, "--help"}).out.find("--per-rank") != std::string::npos);
}

namespace {
void check_export(const std::string& name, const std::string& code) {
  const test::ScratchFolder folder;
  make(folder / name, code);
  REQUIRE(test::run({"python3", kScript, folder / name, "-o", folder / "loads.jsonl"}).exit_code == 0);
  CHECK(counts(folder / "loads.jsonl") ==
        std::map<std::tuple<int, int, int, int>, std::int64_t>{{{-1, 1, -1, 0}, 5}, {{-1, 1, -1, 1}, 1}});
}
}  // namespace

TEST_CASE("a torch file is exported") {
  if (!has_module("torch")) MOESCOPE_SKIP("torch is not installed");
  check_export("t.pt", "import torch; torch.save({'logical_count': torch.tensor([[0, 0], [5, 1]])}, path)");
}

TEST_CASE("a NumPy archive is exported") {
  if (!has_module("numpy")) MOESCOPE_SKIP("numpy is not installed");
  check_export("n.npz", "import numpy; numpy.savez(path, logical_count=numpy.array([[0, 0], [5, 1]]))");
}

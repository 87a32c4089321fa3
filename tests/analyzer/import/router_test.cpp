// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/router.h"

#include <cstring>
#include <map>
#include <random>
#include <tuple>

#include "analyzer/metric/metrics.h"
#include "analyzer/model/trace_error.h"
#include "analyzer/stage/attribution.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;

namespace {

Trace load(const std::string& text, const std::string& name = "loads.txt") {
  const test::ScratchFolder folder;
  test::write_file(folder / name, text);
  return load_trace({folder / name}, "auto", {});
}
std::string refusal(const std::string& text, const std::string& name = "loads.txt",
                    const std::string& format = "auto") {
  const test::ScratchFolder folder;
  test::write_file(folder / name, text);
  try {
    load_trace({folder / name}, format, {});
  } catch (const TraceError& error) {
    const std::string what = error.what();
    return what.substr(what.find(name));
  }
  return "accepted";
}
using Key = std::tuple<int, int, int, int>;  // step, layer, rank, expert
std::map<Key, std::int64_t> counts(const Trace& trace) {
  std::map<Key, std::int64_t> result;
  for (const RouterLoad& load : trace.router_loads)
    result[{load.step.value, load.layer.value, load.rank.value, load.expert.value}] += load.kept;
  return result;
}
std::string npy(const std::string& type, const std::string& shape, const std::vector<std::int64_t>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  for (const std::int64_t value : values) {
    char bytes[8];
    if (type == "<i8") std::memcpy(bytes, &value, 8);
    const auto single = static_cast<float>(value);
    if (type == "<f4") std::memcpy(bytes, &single, 4);
    file.append(bytes, type[2] == '8' ? 8 : 4);
  }
  return file;
}

const std::map<Key, std::int64_t> kTwoByThree{{{-1, 0, -1, 0}, 5}, {{-1, 0, -1, 1}, 0}, {{-1, 0, -1, 2}, 7},
                                              {{-1, 1, -1, 0}, 1}, {{-1, 1, -1, 1}, 2}, {{-1, 1, -1, 2}, 3}};

}  // namespace

TEST_CASE("the same counts in every spelling") {
  CHECK(counts(load(R"({"rank": 0, "logical_count": [[5, 0, 7.0], [1, 2, 3]]})")) == kTwoByThree);
  CHECK(counts(load(R"([{"0": 5, "1": 0, "2": 7}, {"2": 3, "0": 1, "1": 2}])")) == kTwoByThree);
  CHECK(counts(load("layer,expert,tokens\n0,0,5\n0,1,0\n0,2,7\n1,2,3\r\n1,0,1\n1,1,2\n")) == kTwoByThree);
  CHECK(counts(load("{\"layer\": 0, \"tpe\": [5, 0, 7]}\n\n{\"layer\": 1, \"tpe\": [1, 2, 3]}\n")) == kTwoByThree);
  CHECK(counts(load("{\"layer\": 0, \"tpe\": [[5, 0, 7], [1, 2, 3]]}\n")) == kTwoByThree);
  CHECK(counts(load(npy("<i8", "(2, 3)", {5, 0, 7, 1, 2, 3}))) == kTwoByThree);
  CHECK(counts(load(npy("<f4", "(2, 3)", {5, 0, 7, 1, 2, 3}))) == kTwoByThree);
}

TEST_CASE("steps, ranks and drops where a file says them") {
  const std::map<Key, std::int64_t> steps = counts(load(R"({"logical_count": [[[1, 2]], [[3, 4]]]})"));
  CHECK(steps ==
        std::map<Key, std::int64_t>{{{0, 0, -1, 0}, 1}, {{0, 0, -1, 1}, 2}, {{1, 0, -1, 0}, 3}, {{1, 0, -1, 1}, 4}});
  CHECK(counts(load(npy("<i8", "(2, 1, 2)", {1, 2, 3, 4}))) == steps);
  // Iterations are the user's numbers; steps count from 0 in their order.
  const auto lines =
      counts(load("{\"iter\": 900, \"layer\": 4, \"rank\": 1, \"tpe\": [6]}\n"
                  "{\"iter\": 100, \"layer\": 4, \"rank\": 0, \"tpe\": [5]}\n"));
  CHECK(lines == std::map<Key, std::int64_t>{{{0, 4, 0, 0}, 5}, {{1, 4, 1, 0}, 6}});
  const Trace dropped = load("step,layer,rank,expert,assigned,kept\n0,0,0,0,10,8\n0,0,1,1,10,10\n");
  CHECK(dropped.ranks.size() == 2);
  const Analysis analysis = analyze(dropped, attribute(dropped), {});
  CHECK(*analysis.router.dropped_fraction == Approx(0.1));
  CHECK(*analysis.router.ranks_max_over_mean == Approx(10 / 9.0));
}

TEST_CASE("tokens' own choices are counted") {
  CHECK(counts(load("{\"step\": 0, \"layer\": 2, \"rank\": 3, \"top_indices\": [[0, 5], [5, 1]]}\n")) ==
        std::map<Key, std::int64_t>{{{0, 2, 3, 0}, 1}, {{0, 2, 3, 1}, 1}, {{0, 2, 3, 5}, 2}});
  CHECK(counts(load("{\"layer\": 0, \"topk\": [7, 3]}\n{\"layer\": 0, \"topk\": [3, 1]}\n")) ==
        std::map<Key, std::int64_t>{{{-1, 0, -1, 1}, 1}, {{-1, 0, -1, 3}, 2}, {{-1, 0, -1, 7}, 1}});
}

TEST_CASE("a placement says whose the tokens are; copies share them") {
  const test::ScratchFolder folder;
  test::write_file(folder / "loads.json", R"({"logical_count": [[6, 2, 4]]})");
  // Two devices, one layer: expert 0 on both, 1 on the first, 2 on the second.
  test::write_file(folder / "map.txt", "2 1 3\n1 1 0\n1 0 1\n");
  const Trace alone = load_trace({folder / "loads.json"}, "auto", {});
  const Analysis without = analyze(alone, attribute(alone), {});
  CHECK(without.router.ranks_max_over_mean.reason().find("of all ranks together") != std::string::npos);
  CHECK(*without.router.layers.at(0).max_over_mean == Approx(6 / 4.0));
  const Trace both = load_trace({folder / "loads.json", folder / "map.txt"}, "auto", {});
  REQUIRE(both.expert_placements.size() == 4);
  const Analysis analysis = analyze(both, attribute(both), {});
  CHECK(*analysis.router.ranks_max_over_mean == Approx(7 / 6.0));  // 3 + 2 and 3 + 4
  const Trace map = load(R"({"moe_layer_count": 1, "layer_list": [{"layer_id": 0, "device_count": 2, "device_list": [
      {"device_id": 0, "device_expert": [0, 1]}, {"device_id": 1, "device_expert": [0, 2]}]}]})");
  REQUIRE(map.expert_placements.size() == 4);
  CHECK(map.expert_placements[3].logical == 2);
  CHECK(map.expert_placements[3].physical == 3);
  CHECK(map.expert_placements[3].rank == RankId(1));
}

TEST_CASE("router counts beside a timeline are one run") {
  const test::ScratchFolder folder;
  test::write_file(folder / "loads.csv", "layer,rank,expert,tokens\n0,0,0,5\n");
  const Trace trace =
      load_trace({MOESCOPE_SOURCE_DIR "/samples/traces/tiny_deepep.json", folder / "loads.csv"}, "auto", {});
  CHECK(trace.files.size() == 2);
  CHECK(trace.spans.size() > 0);
  CHECK(trace.router_loads.size() == 1);
}

TEST_CASE("what is no count is refused with its place") {
  CHECK(refusal("layer,expert,tokens\n0,0,5\n0,1\n").find("line 3: 2 cells under a header of 3") != std::string::npos);
  CHECK(refusal("layer,expert,tokens\n0,0,many\n").find("line 2: \"many\", which is no number") != std::string::npos);
  CHECK(refusal("layer,expert,tokens\n0,0,-5\n").find("line 2: a count of tokens that is none") != std::string::npos);
  CHECK(refusal("layer,expert,tokens\n0,99999999,5\n").find("line 2: an expert out of any range") != std::string::npos);
  CHECK(refusal("layer,expert,assigned,kept\n0,0,5,6\n").find("more tokens kept than assigned") != std::string::npos);
  CHECK(refusal("layer,expert,tokens\n").find("no counts in it") != std::string::npos);
  CHECK(refusal(R"({"logical_count": [[1, 2.5]]})").find("layer 0: a count of tokens that is none") !=
        std::string::npos);
  CHECK(refusal(R"({"logical_count": [1, 2]})").find("lists 1 deep") != std::string::npos);
  CHECK(refusal(R"({"logical_count": [[1, 2])").find("not valid JSON") != std::string::npos);
  CHECK(refusal("{\"layer\": 0, \"tpe\": [1]}\n{\"layer\": 0, \"tpe\": [1}\n").find("line 2: not valid JSON") !=
        std::string::npos);
  CHECK(refusal("{\"layer\": 0, \"tpe\": [1]}\n{\"layer\": 0}\n").find("line 2: neither counts") != std::string::npos);
  CHECK(refusal("2 1 3\n1 1 0\n1 0\n").find("number 9: the numbers end early") != std::string::npos);
  CHECK(refusal("1 1 2\n1 0 1\n").find("more numbers than") != std::string::npos);
  CHECK(refusal(npy("|O", "(2, 3)", {})).find("which would need a pickle") != std::string::npos);
  CHECK(refusal(npy("<i8", "(2, 3)", {1, 2})).find("the array ends early") != std::string::npos);
  CHECK(refusal(npy("<i8", "(6,)", {1, 2, 3, 4, 5, 6})).find("1 dimensions") != std::string::npos);
  CHECK(refusal("{\"token_scores\": {\"1\": {\"0\": 0.01}}}").find("shares of tokens by expert") != std::string::npos);
}

TEST_CASE("random counts come back, and any cut of any file is a trace or a refusal") {
  std::mt19937 random(3);
  const auto draw = [&](int high) { return std::uniform_int_distribution<int>(0, high)(random); };
  for (int round = 0; round < 60; ++round) {
    const int layers = 1 + draw(4), experts = 1 + draw(9);
    std::vector<std::int64_t> values;
    std::map<Key, std::int64_t> expected;
    std::string json = "{\"logical_count\": [", csv = "expert,layer,tokens\n";
    for (int layer = 0; layer < layers; ++layer) {
      json += layer == 0 ? "[" : ",[";
      for (int expert = 0; expert < experts; ++expert) {
        values.push_back(draw(1000));
        expected[{-1, layer, -1, expert}] = values.back();
        json += (expert == 0 ? "" : ",") + std::to_string(values.back());
        csv += std::to_string(expert) + "," + std::to_string(layer) + "," + std::to_string(values.back()) + "\n";
      }
      json += "]";
    }
    json += "]}";
    const std::string shape = "(" + std::to_string(layers) + ", " + std::to_string(experts) + ")";
    for (const std::string& text : {json, csv, npy("<i8", shape, values)}) {
      CHECK(counts(load(text)) == expected);
      const std::string cut = text.substr(0, static_cast<std::size_t>(draw(static_cast<int>(text.size()) - 1)));
      refusal(cut);  // throws nothing but TraceError
    }
  }
}

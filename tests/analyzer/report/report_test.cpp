// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report.h"

#include <simdjson.h>

#include <set>

#include "analyzer/metric/metrics.h"
#include "analyzer/report/text_table.h"
#include "analyzer/report/verdict.h"
#include "tests/analyzer/metric/hand_trace.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace moescope;
using namespace moescope::test;
using simdjson::dom::element;

namespace {

// Ranks of two steps of two layers: 20 ns of dispatch, 50 of l1, 30 of combine of which 10 lie under attention.
Trace job(int ranks) {
  HandTrace trace(ClockKind::kVIRTUAL);
  for (int rank = 0; rank < ranks; ++rank) {
    const TrackId lane = trace.lane(rank), link = trace.lane(rank);
    for (int step = 0; step < 2; ++step) {
      for (int layer = 0; layer < 2; ++layer) {
        const Ns at = 1000 * step + 100 * layer;
        trace.work(link, Stage::kDISPATCH, at, at + 20, {.step = step, .layer = layer, .bytes = 40});
        trace.work(lane, Stage::kL1, at + 20, at + 70, {.step = step, .layer = layer, .flops = 5000});
        trace.work(link, Stage::kCOMBINE, at + 70, at + 100, {.step = step, .layer = layer, .bytes = 60});
        trace.work(lane, Stage::kATTENTION, at + 90, at + 100, {.step = step, .layer = layer});
      }
      trace.step(rank, step, 1000 * step, 1000 * step + 250);
    }
    for (int expert = 2 * rank; expert < 2 * rank + 2; ++expert) trace.load(0, 0, rank, expert, 1 + rank, 1 + rank);
  }
  return trace.finish();
}

struct Whole {
  explicit Whole(Trace made, const Scope& scope = {}) : trace(std::move(made)) {
    attribution = as_said(trace);
    analysis = analyze(trace, attribution, scope);
  }
  std::string json() const { return report_json({trace, attribution, analysis}, "1.2.3"); }
  std::string text(bool color = false) const { return report_text({trace, attribution, analysis}, {color}); }
  Trace trace;
  Attribution attribution;
  Analysis analysis;
};

double number(element value) {
  double out = 0;
  REQUIRE(value.get_double().get(out) == simdjson::SUCCESS);
  return out;
}

}  // namespace

namespace {
std::string verdict_of(const Whole& whole) {
  return verdict_sentence(whole.trace, whole.analysis);
}
}  // namespace

TEST_CASE("JSON report: figures by hand, per step, over ranks") {
  const std::string text = Whole(job(3)).json();
  simdjson::dom::parser parser;
  const element report = parser.parse(text);
  CHECK(std::string_view(report["schema"]) == "moescope.report/1");
  CHECK(std::string_view(report["run"]["per"]) == "step");
  CHECK(std::string_view(report["run"]["sources"].at(1)) == "virtual");
  const element rank = report["ranks"].at(2);
  CHECK(number(rank["rank"]) == 2);
  CHECK(number(rank["span_ns"]) == 200);
  CHECK(number(rank["comm_ns"]) == 100);
  CHECK(number(rank["exposed_comm_ns"]) == 80);
  CHECK(number(rank["compute_ns"]) == 120);
  CHECK(number(rank["idle_ns"]) == 0);
  CHECK(number(rank["hidden_fraction"]) == Approx(0.2));
  CHECK(rank["blocking_comm_ns"].error() == simdjson::NO_SUCH_FIELD);
  CHECK(number(rank["stages"].at(0)["time_ns"]) == 40);
  const element dispatch = report["stages"].at(0);
  CHECK(std::string_view(dispatch["stage"]) == "dispatch");
  CHECK(number(dispatch["bytes"]["median"]) == 80);
  CHECK(number(dispatch["wire_bw_gb_s"]["worst"]) == 2);
  CHECK(number(dispatch["count"]["median"]) == 2);
  CHECK(number(report["steps"].at(1)["step_ns"]["worst"]) == 250);
  CHECK(number(report["layers"].at(1)["comm_ns"]["median"]) == 50);
  CHECK(number(report["bound"]["headroom_achieved"]) == Approx(1));
  CHECK(number(report["router"]["layers"].at(0)["max_over_mean"]) == Approx(1.5));
  const element arrival = report["arrival"].at(0);  // all start together: nobody waits
  CHECK(std::string_view(arrival["stage"]) == "dispatch");
  CHECK(number(arrival["count"]["median"]) == 2);
  CHECK(number(arrival["arrival_wait_ns"]["worst"]) == 0);
  CHECK(number(arrival["transfer_ns"]["median"]) == 40);
  CHECK(number(arrival["arrived_last"]["worst"]) == 0);
  simdjson::dom::array questions = report["questions"];
  CHECK(questions.size() == 5);
  // What is absent is named: everything the list knows is either somewhere in the report or abstained.
  std::set<std::string> abstained;
  for (const element one : simdjson::dom::array(report["abstained"])) {
    abstained.insert(std::string(std::string_view(one["metric"])));
    CHECK_FALSE(std::string_view(one["reason"]).empty());
  }
  for (const char* id : {"ranks.blocking_comm_ns", "findings", "whatif", "links", "bounds.flops_per_byte_bound",
                         "waves.depth", "run.synthetic_routing"})
    CHECK(abstained.contains(id));
}

TEST_CASE("every metric is in the JSON Schema's section, and nothing else is") {
  simdjson::dom::parser parser;
  const element schema = parser.load(MOESCOPE_SOURCE_DIR "/analyzer/report/report.schema.json");
  const element sections = schema["properties"];
  const auto properties = [&](Grain grain) -> element {
    switch (grain) {
      case Grain::kCoverage:
      case Grain::kWaves:
      case Grain::kRouter:
        return sections[section(grain)]["properties"];
      case Grain::kRouterLayer:
        return sections["router"]["properties"]["layers"]["items"]["properties"];
      default:
        return sections[section(grain)]["items"]["properties"];
    }
  };
  for (const Metric& metric : metrics()) {
    CAPTURE(qualified_id(metric));
    const std::size_t dot = metric.id.find('.');  // a field of an object
    const element known =
        dot == std::string_view::npos
            ? element(properties(metric.grain)[metric.id])
            : element(properties(metric.grain)[metric.id.substr(0, dot)]["properties"][metric.id.substr(dot + 1)]);
    const std::string_view expected =
        metric.per_device && metric.grain != Grain::kRank ? "#/definitions/figure" : "#/definitions/number";
    CHECK(std::string_view(known["$ref"]) == expected);
    CHECK(std::string_view(known["description"]) ==
          std::string(metric.summary) + " [" + std::string(metric.unit) + "]");
  }
  std::size_t listed = 0;
  for (const Grain grain : {Grain::kCoverage, Grain::kRank, Grain::kStage, Grain::kAnnotation, Grain::kPass,
                            Grain::kStep, Grain::kLayer, Grain::kWaves, Grain::kWave, Grain::kArrival,
                            Grain::kCollective, Grain::kRouter, Grain::kRouterLayer, Grain::kBound})
    for (const auto field : simdjson::dom::object(properties(grain))) {
      if (field.value["$ref"].error() == simdjson::SUCCESS) ++listed;
      if (field.key == "idle_by_cause_ns") listed += simdjson::dom::object(field.value["properties"]).size();
    }
  CHECK(listed == metrics().size());
}

TEST_CASE("reports of all sorts keep the JSON Schema, and the schema refuses what is not one") {
  const ScratchFolder folder;
  write_file(folder / "three.json", Whole(job(3)).json());
  write_file(folder / "many.json", Whole(job(40)).json());
  Scope nothing;
  nothing.ranks = {90, 99};
  write_file(folder / "nothing.json", Whole(job(2), nothing).json());
  HandTrace bare;
  bare.work(bare.lane(0), Stage::kALLREDUCE, 0, 0);  // of no length
  bare.raw().files[0].path = "bad \xFF\x01 name";
  bare.raw().files[0].cut_short = true;
  write_file(folder / "bare.json", Whole(bare.finish()).json());
  const std::string script = MOESCOPE_SOURCE_DIR "/tests/analyzer/report/validate_schema.py";
  const std::string schema = MOESCOPE_SOURCE_DIR "/analyzer/report/report.schema.json";
  const Ran good = run({"python3", script, schema, folder / "three.json", folder / "many.json", folder / "nothing.json",
                        folder / "bare.json"});
  if (good.out.starts_with("[skipped]")) MOESCOPE_SKIP("python3-jsonschema is not installed");
  INFO(good.out << good.err);
  CHECK(good.exit_code == 0);
  std::string wrong = contents(folder / "three.json");
  wrong.replace(wrong.find("exposed_comm_ns"), 15, "exposed_comm_us");
  write_file(folder / "wrong.json", wrong);
  CHECK(run({"python3", script, schema, folder / "wrong.json"}).exit_code == 1);
}

TEST_CASE("the first sentence says how much is exposed, of what, and who is worst") {
  CHECK(verdict_of(Whole(job(1))) ==
        "32.0 % of each step is exposed communication: 80 ns of 250 ns. 20.0 % of communication is hidden.");
  HandTrace trace;
  for (int rank = 0; rank < 2; ++rank) {
    const TrackId lane = trace.lane(rank);
    trace.work(lane, Stage::kALLREDUCE, 0, 100 + 200 * rank);
    trace.work(lane, Stage::kL1, 400, 1000);
  }
  CHECK(verdict_of(Whole(trace.finish())) ==
        "20.0 % of the recorded time is exposed communication: 200 ns of 1.00 us on the median rank. Worst is rank 1 "
        "with 300 ns, 30.0 %. 0.00 % of communication is hidden.");
  HandTrace quiet;
  quiet.work(quiet.lane(0), Stage::kL1, 0, 10);
  CHECK(verdict_of(Whole(quiet.finish())) == "No communication was recognised in this scope.");
  Scope nothing;
  nothing.ranks = {5, 5};
  CHECK(verdict_of(Whole(job(1), nothing)) == "No GPU or execution work is in this scope.");
  HandTrace counts;
  for (int expert = 0; expert < 4; ++expert) {
    const std::int64_t tokens = expert == 2 ? 7 : 1;  // of 2.5 on average
    counts.raw().router_loads.push_back(
        {StepId(), LayerId(3), MicroBatchId(), RankId(), ExpertId(expert), Side::kRECEIVED, tokens, tokens});
  }
  counts.raw().model = Model{};
  counts.raw().model->synthetic_routing = 1;
  Trace forced = counts.finish();
  CHECK(verdict_of(Whole(forced)) ==
        "Router counts of 1 layer, no timeline. Routing was forced or looks so: nothing follows on balance.");
  forced.model->synthetic_routing = -1;
  CHECK(verdict_of(Whole(forced)) ==
        "Router counts of 1 layer, no timeline. The busiest expert gets 2.80 times the mean (layer 3).");
}

TEST_CASE("text report: no escapes without colour; many ranks fold to median and worst; cut short is said") {
  CHECK(Whole(job(2)).text().find('\033') == std::string::npos);
  CHECK(Whole(job(2)).text(true).find("\033[1m") == 0);
  const std::string many = Whole(job(40)).text();
  CHECK(many.find("figure   median   worst  on rank") != std::string::npos);
  CHECK(Whole(job(40)).json().find("\"rank\": 39") != std::string::npos);
  Trace cut = job(1);
  cut.files[0].cut_short = true;
  cut.files[0].cut_short_reason = "killed";
  CHECK(Whole(std::move(cut)).text().find("The run was cut short: killed.") != std::string::npos);
}

TEST_CASE("what went wrong with the record stands before any figure, the worst first") {
  Trace trace = job(2);
  trace.diagnostics = {{"info", "event_left_out", 5, "marks"},
                       {"warning", "recorder_warning", 3, "recorder: something"},
                       {"warning", "rank_assumed", 2, "which rank is which"},
                       {"error", "recorder_error", 1, "recorder: failed"}};
  const Whole some(trace);
  const std::string text = some.text();
  const std::size_t failed = text.find("  error: recorder: failed\n"),
                    which = text.find("  warning: which rank is which (2)\n"),
                    said = text.find("  warning: recorder: something (3)\n");
  REQUIRE(said != std::string::npos);
  CHECK(failed < which);
  CHECK(which < said);
  CHECK(said < text.find("Ranks"));
  CHECK(text.find("marks") == std::string::npos);
  simdjson::dom::parser parser;
  const std::string json = some.json();
  const element list = parser.parse(json)["diagnostics"];
  REQUIRE(list.get_array().size() == 4);
  CHECK(std::string_view(list.at(0)["code"]) == "event_left_out");
  CHECK(std::int64_t(list.at(1)["count"]) == 3);

  for (int i = 0; i < 20; ++i) trace.diagnostics.push_back({"warning", "x", 1, "one of many"});
  CHECK(Whole(trace).text().find("... and 17 more") != std::string::npos);
  Trace single = job(1);
  single.diagnostics = {{"warning", "rank_assumed", 1, "which rank is which"}};
  CHECK(Whole(single).text().find("which rank") == std::string::npos);  // there is only one
}

TEST_CASE("a device busy with graphs recorded as a whole has no share of communication") {
  const auto with_graph = [](Ns graph_end) {
    HandTrace trace;
    const TrackId lane = trace.lane(0);
    trace.work(lane, Stage::kDISPATCH, 0, 1'000);
    trace.work(lane, Stage::kL1, 1'000, 10'000);
    trace.work(trace.lane(0), Stage::kUNATTRIBUTED, 9'000, graph_end, {.kind = SpanKind::kGRAPH});
    return Whole(trace.finish());
  };
  const Whole most = with_graph(40'000);  // of 40 us busy, 30 are known to be nothing else
  CHECK(most.analysis.ranks.at(0).unknown == 30'000);
  CHECK(most.text().starts_with("How much is communication can't be told: 75 % of device time is CUDA graphs"));
  for (const char* id : {"compute_ns", "comm_ns", "exposed_comm_ns", "hidden_fraction"})
    CHECK_FALSE(evaluate(*find_metric(Grain::kRank, id), most.analysis, 0, 0));
  CHECK(*evaluate(*find_metric(Grain::kRank, "busy_ns"), most.analysis, 0, 0) == 40'000);

  const Whole little = with_graph(10'050);  // half a hundredth: borne
  CHECK(*evaluate(*find_metric(Grain::kRank, "comm_ns"), little.analysis, 0, 0) == 1'000);
}

TEST_CASE("work of no stage is listed by time, and a share of all work") {
  HandTrace made;
  const TrackId lane = made.lane(0);
  made.work(lane, Stage::kL1, 0, 60);
  made.work(lane, Stage::kUNATTRIBUTED, 60, 80);
  made.work(lane, Stage::kUNATTRIBUTED, 90, 110);
  const Whole whole(made.finish());
  simdjson::dom::parser parser;
  const std::string text = whole.json();
  const element report = parser.parse(text);
  REQUIRE(simdjson::dom::array(report["unattributed"]).size() == 1);
  const element one = report["unattributed"].at(0);
  CHECK(number(one["count"]) == 2);
  CHECK(number(one["time_ns"]) == 40);
  CHECK(number(one["share"]) == Approx(0.4));
  CHECK(whole.text().find("\nUnattributed") != std::string::npos);
  CHECK(whole.text().find("40.0 %") != std::string::npos);
  CHECK(std::string_view(report["structure"]["steps"]["origin"]) == "none");
}

TEST_CASE("what fused kernels move is said to be in no figure") {
  HandTrace made;
  made.work(made.lane(0), Stage::kL1, 0, 60);
  Whole whole(made.finish());
  CHECK(whole.text().find("at once") == std::string::npos);
  whole.attribution.stages[0] = StageSet(Stage::kL1) | Stage::kDISPATCH;
  whole.analysis = analyze(whole.trace, whole.attribution, {});
  CHECK(whole.text().find("1 spans compute and communicate at once") != std::string::npos);
  CHECK(whole.json().find("communication within fused kernels") != std::string::npos);
}

TEST_CASE("numbers for people") {
  CHECK(time_text(0) == "0 ns");
  CHECK(time_text(999) == "999 ns");
  CHECK(time_text(4190000) == "4.19 ms");
  CHECK(time_text(113440000) == "113.4 ms");
  CHECK(time_text(-2500) == "-2.50 us");
  CHECK(time_text(12.5e9) == "12.50 s");
  CHECK(percent_text(0.963064) == "96.31 %");
  CHECK(percent_text(0.5) == "50.0 %");
  CHECK(number_text(2048) == "2,048");
  CHECK(number_text(1234567) == "1,234,567");
  CHECK(number_text(-1234) == "-1,234");
  CHECK(number_text(-123) == "-123");
  CHECK(number_text(0.93) == "0.93");
  CHECK(bytes_text(3070000) == "3.07 MB");
  CHECK(name_text("short") == "short");
  CHECK(name_text("bad\n\xFF") == "bad?\xEF\xBF\xBD");
  const std::string cut = name_text(std::string(50, 'a') + std::string(50, 'b'), 21);
  CHECK(cut == std::string(9, 'a') + "..." + std::string(9, 'b'));
}

TEST_CASE("tables: words left, numbers right, empty columns gone") {
  TextTable table({"name", "a", "none", "b"});
  table.row({"x", "1", "", "22"});
  table.row({"longer", "333", "", "ü"});
  CHECK(table.render(1) == " name      a   b\n x         1  22\n longer  333   ü\n");
}

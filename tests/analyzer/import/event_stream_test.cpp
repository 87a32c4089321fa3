// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/event_stream.h"

#include <algorithm>
#include <map>
#include <random>

#include "analyzer/import/text_mend.h"
#include "analyzer/model/trace_error.h"
#include "tests/support/catch.h"

using namespace moescope;

namespace {

class TextSource final : public ByteSource {
 public:
  TextSource(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  std::size_t read(char* out, std::size_t capacity) override {
    const std::size_t give = std::min({capacity, piece_, text_.size() - at_});
    text_.copy(out, give, at_);
    at_ += give;
    return give;
  }
  std::uint64_t consumed() const override { return at_; }
  std::uint64_t size() const override { return text_.size(); }

 private:
  std::string text_;
  std::size_t piece_, at_ = 0;
};

struct Pieces {
  std::string events;  // the elements of all runs, with a comma behind each
  std::size_t wrong_guesses = 0;
  std::map<std::string, std::string> top_level;
  EventStreamResult result;
};

// The elements of a run by a plain walk, one character at a time; all: its brackets match and end where the run does.
std::vector<std::string> elements_of(const EventRun& run, bool& all) {
  std::vector<std::string> elements;
  std::string element;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < run.size; ++i) {
    const char c = run.text[i];
    if (depth > 1) element += c;
    if (in_string) {
      if (c == '\\' && ++i < run.size) element += run.text[i];
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth == 2) element = c;
    } else if (c == '}' || c == ']') {
      if (--depth == 1) elements.push_back(element);
      all = depth == 0 && i + 1 == run.size;
      if (depth == 0) return elements;
    }
  }
  all = false;
  return elements;
}

Pieces read(const std::string& text, std::size_t window, std::size_t piece = 1 << 20, bool salvage = false) {
  Pieces pieces;
  TextSource source(text, piece);
  EventStreamHandler handler;
  handler.events = [&](const EventRun& run) {
    REQUIRE(run.text[0] == '[');
    REQUIRE(run.text[run.size - 1] == ']');
    // What lies at the offset in the file is what is handed over.
    REQUIRE(text.compare(run.offset + 1, run.size - 2, run.text + 1, run.size - 2) == 0);
    EventStreamHandler::Taken taken;
    const auto elements = elements_of(run, taken.all);
    taken.elements = elements.size();
    for (std::size_t i = run.skip; i < elements.size(); ++i) pieces.events += elements[i] + ",";
    if (run.surely_whole) REQUIRE(taken.all);
    pieces.wrong_guesses += !taken.all;
    return taken;
  };
  handler.wanted = [](std::string_view key) { return key != "skipped"; };
  handler.top_level = [&](std::string_view key, std::string_view value) { pieces.top_level[std::string(key)] = value; };
  pieces.result = read_event_stream(source, "trace.json", salvage, handler, window);
  return pieces;
}

// Without the white space and commas between elements, which the cutting may move.
std::string packed(const std::string& text) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      out += text[i++];
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && (text[i] == ' ' || text[i] == '\n')) {
      continue;
    }
    out += text[i];
  }
  std::string no_double;
  for (const char c : out)
    if (c != ',' || no_double.empty() || no_double.back() != ',') no_double += c;
  while (!no_double.empty() && no_double.back() == ',') no_double.pop_back();
  return no_double;
}

std::string error_of(const std::string& text) {
  try {
    read(text, 64);
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

std::string random_event(std::mt19937& random) {
  static const char* const kParts[] = {"\"a\": 1",           "\"b{]\": \"x\\\"}\"", "\"c\": {\"d\": [1, {}, {}, []]}",
                                       "\"e\": \"\\\\\"",    "\"f\": null",         "\"g\": \"}, {[[{{\"",
                                       "\"h\": \"\\\\\\\"\""};
  std::string event = "{";
  for (unsigned long i = 0, n = random() % 5; i < n; ++i) event += (i ? ", " : "") + std::string(kParts[random() % 7]);
  return event + "}";
}

}  // namespace

TEST_CASE("events come out the same for any window, any piece, and keys on either side") {
  std::mt19937 random(7);
  std::size_t wrong_guesses = 0;
  for (int round = 0; round < 200; ++round) {
    std::string array;
    for (unsigned long i = 0, n = random() % 12; i < n; ++i)
      array += (i ? (random() % 2 ? "," : " ,\n ") : "") + random_event(random);
    const std::string text = "{\"before\": {\"rank\": 3}, \"skipped\": \"}{\", \"traceEvents\" : [" + array +
                             "], \"after\": [1, \"]\"], \"number\": 17 }\n";
    for (const std::size_t window : {1u, 8u, 64u, 1u << 20})
      for (const std::size_t piece : {1u, 5u, 1u << 20}) {
        const Pieces pieces = read(text, window, piece);
        wrong_guesses += pieces.wrong_guesses;
        CHECK(packed(pieces.events) == packed(array));
        CHECK(pieces.result.saw_events_key);
        CHECK(pieces.top_level == std::map<std::string, std::string>{
                                      {"before", "{\"rank\": 3}"}, {"after", "[1, \"]\"]"}, {"number", "17 "}});
      }
    CHECK(packed(read("[" + array + "]", 16).events) == packed(array));
  }
  CHECK(wrong_guesses > 1'000);
}

TEST_CASE("the end of a run is guessed at the last },{ of the window") {
  CHECK(detail::last_boundary("") == 0);
  CHECK(detail::last_boundary("{}") == 0);
  CHECK(detail::last_boundary("{},{") == 2);
  CHECK(detail::last_boundary("{}, {\"a\": {}} \n,\n {\"b\": {") == 13);
  CHECK(detail::last_boundary(", {") == 0);
  CHECK(detail::last_boundary("{]},  ,{") == 0);
  // Keys behind the array look like more events; what was taken once is not taken twice.
  const Pieces pieces =
      read("{\"traceEvents\": [{\"a\": 1}, {\"b\": 2}], \"deviceProperties\": [{\"c\": 3}, {}]}", 1 << 20);
  CHECK(packed(pieces.events) == packed("{\"a\": 1},{\"b\": 2}"));
  CHECK(pieces.wrong_guesses == 1);
  CHECK(pieces.top_level.at("deviceProperties") == "[{\"c\": 3}, {}]");
}

TEST_CASE("the fast loops stop where the plain ones do") {
  std::mt19937 random(8);
  for (int round = 0; round < 3'000; ++round) {
    std::string text(random() % 70, ' ');
    for (char& c : text) c = static_cast<char>(random() % 4 ? random() % 256 : "\"\\{}[]|;"[random() % 8]);
    const char *const begin = text.data() + (text.empty() ? 0 : random() % text.size()), *const end =
                                                                                             text.data() + text.size();
    REQUIRE(detail::next_structural(begin, end) == detail::next_structural_plain(begin, end));
    REQUIRE(detail::next_in_string(begin, end) == detail::next_in_string_plain(begin, end));
  }
}

TEST_CASE("a text cut anywhere is an error, or with salvage its complete events") {
  const std::string events = "{\"a\": \"x\"}, {\"b\": {\"c\": 1}}, {\"d\": \"]}\"}";
  const std::string text = "{\"traceEvents\": [" + events + "]}";
  const std::size_t first = text.find('}') + 1, second = text.find("}}") + 2, third = text.find("\"]}\"}") + 5;
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    INFO(text.substr(0, cut));
    const std::string message = error_of(text.substr(0, cut));
    CHECK(message.starts_with("trace.json: byte " + std::to_string(cut) + ": the JSON breaks off here"));
    CHECK(message.find("--salvage") != std::string::npos);
    const Pieces pieces = read(text.substr(0, cut), 16, 3, true);
    CHECK(pieces.result.early_end == "the JSON breaks off at byte " + std::to_string(cut));
    const std::size_t begin = text.find('[') + 1;
    const std::string whole = cut >= third    ? text.substr(begin, third - begin)
                              : cut >= second ? text.substr(begin, second - begin)
                              : cut >= first  ? text.substr(begin, first - begin)
                                              : "";
    CHECK(packed(pieces.events) == packed(whole));
  }
}

TEST_CASE("what is no trace is refused with the byte") {
  CHECK(error_of("") == "trace.json: the file is empty");
  CHECK(error_of("hello").starts_with("trace.json: byte 0: not JSON"));
  CHECK(error_of("  <xml/>").starts_with("trace.json: byte 2: not JSON"));
  CHECK(error_of("{\"traceEvents\": []} x").starts_with("trace.json: byte 20: something follows"));
  CHECK(error_of("{\"traceEvents\": [}]}").starts_with("trace.json: byte 17: a } without its {"));
  CHECK(error_of("{traceEvents: []}").starts_with("trace.json: byte 1: a key was expected"));
  CHECK(error_of("{\"a\" 1}").starts_with("trace.json: byte 5: a colon was expected"));
}

TEST_CASE("a byte order mark, trailing white space and zero bytes are no trouble") {
  CHECK(read("\xef\xbb\xbf{\"traceEvents\": [{}]}\n", 64).events == "{},");
  CHECK(read(std::string("[{}] \n\0\0", 8), 64).events == "{},");
}

TEST_CASE("names with raw control characters and bytes that are not UTF-8 are mended in place") {
  const auto mended = [](std::string text, std::size_t changes) {
    CHECK(mend_json_text(text.data(), text.size()) == changes);
    return text;
  };
  CHECK(mended("{\"a\": \"x\ny\"}\n", 1) == "{\"a\": \"x y\"}\n");
  CHECK(mended("\"caf\xc3\xa9 \xff\"", 1) == "\"caf\xc3\xa9 ?\"");
  CHECK(mended("\"\xc0\x80\"", 2) == "\"??\"");       // an overlong zero
  CHECK(mended("\"\xed\xa0\x80\"", 3) == "\"???\"");  // a surrogate
  CHECK(mended("\"\xf0\x9f\x98\"", 3) == "\"???\"");  // cut
  CHECK(mended("\"\xf0\x9f\x98\x80\"", 0) == "\"\xf0\x9f\x98\x80\"");
  CHECK(mended("\"\\\"\t\"", 1) == "\"\\\" \"");
}

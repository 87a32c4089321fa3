// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/event_stream.h"

#include <bit>
#include <cstring>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {

constexpr std::size_t kFront = 64;                       // room before the text, for the bracket a run opens with
constexpr std::size_t kLargestEvent = 256u << 20;        // bytes; beyond that the file is not a trace
constexpr std::size_t kLargestTopLevelValue = 64 << 20;  // bytes

// Part of the file, fit for a message of one line.
std::string printable(const std::string& text) {
  std::string out = text.substr(0, 40);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 127) c = '?';
  return out;
}

struct CutOff {};  // the text ended inside a value

class Reader {
 public:
  Reader(ByteSource& source, const std::string& path, const EventStreamHandler& handler, std::size_t window)
      : source_(source), path_(path), handler_(handler), window_(window), buffer_(kFront + window + kPadding) {}

  void read(EventStreamResult& result) {
    if (peek() == '\xef') take_byte_order_mark();
    switch (peek_token()) {
      case '[':
        result.saw_events_key = true;
        events();
        break;
      case '{':
        object(result);
        break;
      case '\0':
        if (at_end()) throw TraceError(path_, "", "the file is empty", "");
        [[fallthrough]];
      default:
        fail("not JSON: it starts neither with { nor with [", "name a Kineto or Chrome trace");
    }
    for (; !at_end(); ++at_)
      if (!is_space(buffer_[at_]) && buffer_[at_] != '\0')
        fail("something follows the end of the JSON", "two traces in one file? split them");
  }

  [[noreturn]] void cut_off() const {
    throw TraceError(path_, "byte " + std::to_string(offset(end_)),
                     source_.early_end().empty() ? "the JSON breaks off here" : source_.early_end(),
                     "write it again, or keep its complete events with --salvage");
  }
  std::uint64_t bytes() const { return offset(end_); }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  std::uint64_t offset(std::size_t position) const { return base_ + position - kFront; }
  [[noreturn]] void fail(const std::string& what, const std::string& mend) const {
    throw TraceError(path_, "byte " + std::to_string(offset(at_)), what, mend);
  }

  // Keeps [keep_from, end) and reads more behind it; false at the end of the file.
  bool refill(std::size_t keep_from) {
    const std::size_t kept = end_ - keep_from;
    if (keep_from > kFront) {
      std::memmove(buffer_.data() + kFront, buffer_.data() + keep_from, kept);
      base_ += keep_from - kFront;
      at_ -= keep_from - kFront;
      end_ = kFront + kept;
    }
    if (end_ + kPadding >= buffer_.size()) {
      if (buffer_.size() > kLargestEvent) fail("one event is longer than 256 MiB", "is this a trace?");
      buffer_.resize(buffer_.size() * 2);
    }
    const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - kPadding - end_);
    end_ += got;
    return got > 0;
  }
  bool at_end() { return at_ == end_ && !refill(at_); }
  char peek() { return at_end() ? '\0' : buffer_[at_]; }
  char peek_token() {
    while (!at_end() && is_space(buffer_[at_])) ++at_;
    return peek();
  }
  void take_byte_order_mark() {
    for (const char c : {'\xef', '\xbb', '\xbf'}) {
      if (peek() != c) fail("not JSON", "name a Kineto or Chrome trace");
      ++at_;
    }
  }

  void object(EventStreamResult& result) {
    ++at_;
    for (bool first = true;; first = false) {
      char c = peek_token();
      if (c == ',' && !first) {
        ++at_;
        c = peek_token();
      }
      if (c == '}') {
        ++at_;
        return;
      }
      if (c == '\0') throw CutOff{};
      if (c != '"') fail("a key was expected", "write the file again");
      const std::string key = string();
      if (peek_token() == '\0') throw CutOff{};
      if (peek_token() != ':')
        fail("a colon was expected after the key \"" + printable(key) + "\"", "write the file again");
      ++at_;
      if (peek_token() == '\0') throw CutOff{};
      if (key == "traceEvents" && peek_token() == '[') {
        result.saw_events_key = true;
        events();
      } else {
        top_level_value(key);
      }
    }
  }

  std::string string() {  // raw, without the quotes
    std::string text;
    for (++at_;; ++at_) {
      if (at_end()) throw CutOff{};
      if (buffer_[at_] == '"') break;
      text.push_back(buffer_[at_]);
      if (buffer_[at_] == '\\') {
        ++at_;
        if (at_end()) throw CutOff{};
        text.push_back(buffer_[at_]);
      }
      if (text.size() > 65536) fail("a key longer than 64 KiB", "is this a trace?");
    }
    ++at_;
    return text;
  }

  void top_level_value(const std::string& key) {
    const bool keep = handler_.wanted && handler_.wanted(key);
    std::string value;
    int depth = 0;
    bool in_string = false;
    for (;; ++at_) {
      if (at_end()) throw CutOff{};
      const char c = buffer_[at_];
      if (in_string) {
        if (c == '\\') {
          if (keep) value.push_back(c);
          ++at_;
          if (at_end()) throw CutOff{};
        } else if (c == '"') {
          in_string = false;
        }
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) break;
        --depth;
      } else if (c == ',' && depth == 0) {
        break;
      }
      if (keep) value.push_back(buffer_[at_]);
      if (value.size() > kLargestTopLevelValue) fail("the value of " + printable(key) + " is longer than 64 MiB", "");
    }
    if (keep) handler_.top_level(key, value);
  }

  // The array of events. run: where the current run of elements begins.
  void events() {
    ++at_;
    std::size_t run = at_;
    for (bool more = true;;) {
      std::size_t whole = more ? run + detail::last_boundary({buffer_.data() + run, end_ - run}) : run;
      const bool guessed = whole > run;
      EventStreamHandler::Taken taken{0, false};
      if (guessed) taken = hand_over(run, whole, 0, false);
      if (!taken.all) {
        bool closed = false;
        whole = last_whole(run, closed);
        if (whole > run) hand_over(run, whole, taken.elements, true);
        if (closed) return;
        if (!more) {
          at_ = end_;
          throw CutOff{};
        }
      }
      // A complete run is done with; what is left begins an event that isn't here whole, or the last ones.
      at_ = whole;
      more = refill(whole);
      run = at_;
    }
  }

  // Counts brackets from run on: behind the last element that is whole. closed: the array's end was met, and at_ is
  // behind it.
  std::size_t last_whole(std::size_t run, bool& closed) {
    const char* const data = buffer_.data();
    const char* const end = data + end_;
    const char* p = data + run;
    std::size_t whole = run;
    int depth = 0;
    bool in_string = false;
    while (p < end) {
      if (in_string) {
        p = detail::next_in_string(p, end);
        if (p == end) break;
        if (*p == '\\') {
          if (p + 1 == end) break;  // its escaped byte is still to come
          p += 2;
        } else {
          in_string = false;
          ++p;
        }
        continue;
      }
      p = detail::next_structural(p, end);
      if (p == end) break;
      const char c = *p;
      if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (depth == 0) {
        at_ = static_cast<std::size_t>(p - data);
        if (c == '}') fail("a } without its {", "write the file again");
        closed = true;
        ++at_;
        break;
      } else if (--depth == 0) {
        whole = static_cast<std::size_t>(p - data) + 1;
      }
      ++p;
    }
    return whole;
  }

  // Elements lie in [run, whole), with commas between and perhaps one before. The bracket pair goes over the byte
  // before and the byte behind, which come back.
  EventStreamHandler::Taken hand_over(std::size_t run, std::size_t whole, std::size_t skip, bool surely_whole) {
    while (run < whole && (is_space(buffer_[run]) || buffer_[run] == ',')) ++run;
    const char before = buffer_[run - 1], behind = buffer_[whole];
    buffer_[run - 1] = '[';
    buffer_[whole] = ']';
    const auto taken =
        handler_.events({buffer_.data() + run - 1, whole - run + 2, offset(run) - 1, skip, surely_whole});
    buffer_[run - 1] = before;
    buffer_[whole] = behind;
    return taken;
  }

  ByteSource& source_;
  const std::string& path_;
  const EventStreamHandler& handler_;
  std::size_t window_;
  std::vector<char> buffer_;
  std::size_t at_ = kFront, end_ = kFront;
  std::uint64_t base_ = 0;  // offset in the file of buffer_[kFront]
};

}  // namespace

namespace detail {

std::size_t last_boundary(std::string_view text) {
  const auto back_over_space = [&text](std::size_t at) {
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '\t' || text[at - 1] == '\r'))
      --at;
    return at;
  };
  for (std::size_t open = text.rfind('{'); open != std::string_view::npos && open > 0;
       open = text.rfind('{', open - 1)) {
    const std::size_t comma = back_over_space(open);
    if (comma == 0 || text[comma - 1] != ',') continue;
    const std::size_t close = back_over_space(comma - 1);
    if (close > 0 && text[close - 1] == '}') return close;
  }
  return 0;
}

namespace {

// Setting bit 5 makes '[' a '{' and ']' a '}'; nothing else becomes one of them.
bool is_structural(char c) {
  return c == '"' || (c | 0x20) == '{' || (c | 0x20) == '}';
}

}  // namespace

// Sixteen bytes at a time where the processor has SSE2 (every x86-64 does); the plain loops are the rest, and the tail.
const char* next_structural(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
  const __m128i bit = _mm_set1_epi8(0x20);
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), folded = _mm_or_si128(bytes, bit);
    const __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
                                     _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
    if (const int mask = _mm_movemask_epi8(hit)) return at + std::countr_zero(static_cast<unsigned>(mask));
  }
#endif
  return next_structural_plain(at, end);
}

const char* next_in_string(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash));
    if (const int mask = _mm_movemask_epi8(hit)) return at + std::countr_zero(static_cast<unsigned>(mask));
  }
#endif
  return next_in_string_plain(at, end);
}

const char* next_structural_plain(const char* at, const char* end) {
  while (at < end && !is_structural(*at)) ++at;
  return at;
}

const char* next_in_string_plain(const char* at, const char* end) {
  while (at < end && *at != '"' && *at != '\\') ++at;
  return at;
}

}  // namespace detail

EventStreamResult read_event_stream(ByteSource& source, const std::string& path, bool salvage,
                                    const EventStreamHandler& handler, std::size_t window) {
  EventStreamResult result;
  Reader reader(source, path, handler, window);
  try {
    reader.read(result);
  } catch (const CutOff&) {
    if (!salvage) reader.cut_off();
    result.early_end = source.early_end().empty() ? "the JSON breaks off at byte " + std::to_string(reader.bytes())
                                                  : source.early_end();
  }
  return result;
}

}  // namespace moescope

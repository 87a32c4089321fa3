// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/kineto_event.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "analyzer/import/decimal_time.h"
#include "analyzer/import/event_stream.h"
#include "analyzer/import/integer_list.h"
#include "analyzer/import/text_mend.h"
#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {

using namespace simdjson;
static_assert(kPadding >= SIMDJSON_PADDING);

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// A number or string as text; empty for anything else.
std::string_view scalar_text(ondemand::value value) {
  const auto type = value.type();
  if (type.error()) return {};
  if (type.value_unsafe() == ondemand::json_type::string) {
    std::string_view text;
    return value.get_string().get(text) ? std::string_view{} : text;
  }
  if (type.value_unsafe() == ondemand::json_type::number) return trimmed(value.raw_json_token());
  return {};
}

std::int64_t integer(ondemand::value value, std::int64_t otherwise) {
  return integer_from_json(scalar_text(value)).value_or(otherwise);
}

void read_collective_argument(const ondemand::raw_json_string& key, ondemand::value value, KinetoCollectiveArgs& args) {
  struct Text {
    const char* key;
    std::string_view KinetoCollectiveArgs::*field;
  };
  struct Number {
    const char* key;
    std::int64_t KinetoCollectiveArgs::*field;
  };
  using Args = KinetoCollectiveArgs;
  static constexpr Text kTexts[] = {
      {"Collective name", &Args::name},
      {"In split size", &Args::in_splits},
      {"Out split size", &Args::out_splits},
      {"Process Group Name", &Args::group_name},
      {"Process Group Description", &Args::group_description},
      {"Process Group Ranks", &Args::group_ranks},
  };
  static constexpr Number kNumbers[] = {
      {"In msg nelems", &Args::elements_in},
      {"Out msg nelems", &Args::elements_out},
      {"Group size", &Args::group_size},
      {"Seq", &Args::sequence},
      {"Src Rank", &Args::source},
      {"Dst Rank", &Args::destination},
      {"Global rank start", &Args::first_rank},
      {"Global rank stride", &Args::rank_stride},
  };
  for (const Text& text : kTexts)
    if (key.unsafe_is_equal(text.key)) {
      args.*text.field = scalar_text(value);
      return;
    }
  for (const Number& number : kNumbers)
    if (key.unsafe_is_equal(number.key)) {
      args.*number.field = integer(value, -1);
      return;
    }
}

void read_arguments(ondemand::object arguments, KinetoEvent& event) {
  for (auto item : arguments) {
    ondemand::field field;
    if (std::move(item).get(field)) throw simdjson_error(TAPE_ERROR);
    const ondemand::raw_json_string key = field.key();
    ondemand::value value = field.value();
    switch (key.raw()[0]) {
      case 'c':
        if (key.unsafe_is_equal("correlation")) event.correlation = std::max<std::int64_t>(0, integer(value, 0));
        break;
      case 'd':
        if (key.unsafe_is_equal("device"))
          event.device = integer(value, -1);
        else if (key.unsafe_is_equal("dtype"))
          event.collective.element_type = scalar_text(value);
        break;
      case 's':
        if (key.unsafe_is_equal("stream")) event.stream = scalar_text(value);
        break;
      case 'k':
        if (key.unsafe_is_equal("kind")) event.copy_direction = scalar_text(value);
        break;
      case 'b':
        if (key.unsafe_is_equal("bytes")) event.bytes = std::max<std::int64_t>(-1, integer(value, -1));
        break;
      case 'n':
        if (key.unsafe_is_equal("name")) event.argument_name = scalar_text(value);
        break;
      case 'l':
        if (key.unsafe_is_equal("labels")) event.argument_name = scalar_text(value);
        break;
      case 'C':
      case 'D':
      case 'G':
      case 'I':
      case 'O':
      case 'P':
      case 'S':
        read_collective_argument(key, value, event.collective);
        break;
      default:
        break;
    }
  }
}

// What ties an operator's backward to its forward.
void read_operator_arguments(ondemand::object arguments, KinetoEvent& event) {
  for (auto item : arguments) {
    ondemand::field field;
    if (std::move(item).get(field)) throw simdjson_error(TAPE_ERROR);
    const ondemand::raw_json_string key = field.key();
    if (key.raw()[0] == 'S' && key.unsafe_is_equal("Sequence number"))
      event.sequence = integer(field.value(), -1);
    else if (key.raw()[0] == 'F' && key.unsafe_is_equal("Fwd thread id"))
      event.forward_thread = integer(field.value(), 0);
  }
}

// Device work, API calls (their correlation) and metadata are the events whose arguments are wanted.
bool wants_arguments(const KinetoEvent& event) {
  if (event.category_text.empty()) return true;  // not seen yet, or metadata
  switch (kineto_category(event.category_text)) {
    case KinetoCategory::kKernel:
    case KinetoCategory::kCopy:
    case KinetoCategory::kMemset:
    case KinetoCategory::kRuntime:
      return true;
    default:
      return false;
  }
}

void read_event(ondemand::object object, KinetoEvent& event) {
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field)) throw simdjson_error(TAPE_ERROR);
    const ondemand::raw_json_string key = field.key();
    ondemand::value value = field.value();
    switch (key.raw()[0]) {
      case 'p':
        if (key.unsafe_is_equal("ph")) {
          const std::string_view text = scalar_text(value);
          event.phase = text.empty() ? '\0' : text[0];
        } else if (key.unsafe_is_equal("pid")) {
          event.process = scalar_text(value);
        }
        break;
      case 'c':
        if (key.unsafe_is_equal("cat")) event.category_text = scalar_text(value);
        break;
      case 'n':
        if (key.unsafe_is_equal("name")) event.name = scalar_text(value);
        break;
      case 't':
        if (key.unsafe_is_equal("ts"))
          event.timestamp = scalar_text(value);
        else if (key.unsafe_is_equal("tid"))
          event.thread = scalar_text(value);
        break;
      case 'd':
        if (key.unsafe_is_equal("dur")) event.duration = scalar_text(value);
        break;
      case 'a':
        if (key.unsafe_is_equal("args")) {
          const bool all = wants_arguments(event);
          ondemand::object arguments;
          if ((!all && kineto_category(event.category_text) != KinetoCategory::kOperator) ||
              value.get_object().get(arguments))
            break;
          if (all)
            read_arguments(arguments, event);
          else
            read_operator_arguments(arguments, event);
        }
        break;
      default:
        break;
    }
  }
}

}  // namespace

KinetoCategory kineto_category(std::string_view text) {
  struct Row {
    std::string_view text;
    KinetoCategory category;
  };
  using enum KinetoCategory;
  static constexpr Row kRows[] = {
      {"kernel", kKernel},
      {"cpu_op", kOperator},
      {"cuda_runtime", kRuntime},
      {"python_function", kLeftOut},
      {"gpu_memcpy", kCopy},
      {"gpu_memset", kMemset},
      {"cuda_driver", kRuntime},
      {"user_annotation", kAnnotation},
      {"Kernel", kKernel},
      {"Memcpy", kCopy},
      {"Memset", kMemset},
      {"Runtime", kRuntime},
      {"Operator", kOperator},
      {"hip_runtime", kRuntime},
      {"hip_driver", kRuntime},
      {"xpu_runtime", kRuntime},
      {"xpu_driver", kRuntime},
      {"mtia_runtime", kRuntime},
      {"privateuse1_runtime", kRuntime},
      {"privateuse1_driver", kRuntime},
      {"gpu_user_annotation", kLeftOut},
      {"cuda_sync", kLeftOut},
      {"cuda_event", kLeftOut},
      {"xpu_sync", kLeftOut},
      {"external_correlation", kLeftOut},
      {"overhead", kLeftOut},
      {"Trace", kLeftOut},
      {"cuda_profiler_range", kLeftOut},
      {"cpu_instant_event", kLeftOut},
  };
  for (const Row& row : kRows)
    if (row.text == text) return row.category;
  return kAnnotation;
}

struct KinetoEventParser::Impl {
  ondemand::parser parser;
  // How far it came, and whether all of the run was read.
  EventStreamHandler::Taken run(const EventRun& run, const std::function<void(const KinetoEvent&)>& take,
                                std::size_t& place) {
    EventStreamHandler::Taken taken{0, false};
    place = 0;
    try {
      ondemand::document document = parser.iterate(run.text, run.size, run.size + kPadding);
      ondemand::array array = document.get_array();
      for (auto element : array) {
        ondemand::value value = element.value();
        const char* where = nullptr;
        if (!document.current_location().get(where)) place = static_cast<std::size_t>(where - run.text);
        const auto type = value.type();
        if (type.error()) return taken;
        ondemand::object object;
        if (type.value_unsafe() == ondemand::json_type::object && taken.elements >= run.skip) {
          if (value.get_object().get(object)) return taken;
          event = KinetoEvent{};
          read_event(object, event);
          take(event);
        }
        ++taken.elements;
      }
      taken.all = document.current_location().error() == OUT_OF_BOUNDS;  // nothing follows the array
    } catch (const simdjson_error&) {
    }
    return taken;
  }
  KinetoEvent event;
};

KinetoEventParser::KinetoEventParser() : impl_(std::make_unique<Impl>()) {}
KinetoEventParser::~KinetoEventParser() = default;

EventStreamHandler::Taken KinetoEventParser::parse(const EventRun& run, const std::string& path,
                                                   const std::function<void(const KinetoEvent&)>& take) {
  std::size_t place = 0;
  EventStreamHandler::Taken taken = impl_->run(run, take, place);
  // simdjson refuses a whole run for one control character or one bad byte in a name, before its first event.
  if (taken.elements == 0 && !taken.all)
    if (const std::size_t mended = mend_json_text(run.text, run.size)) {
      mended_ += mended;
      taken = impl_->run(run, take, place);
    }
  if (!taken.all && run.surely_whole)
    throw TraceError(path, "byte " + std::to_string(run.offset + place), "an event that is not JSON",
                     "write the file again");
  return taken;
}

namespace {

// [0, 1, 2] as an array of numbers or as its text; empty where it is neither, or cut.
std::vector<std::int32_t> rank_list(ondemand::value value) {
  std::vector<std::int32_t> ranks;
  ondemand::array array;
  if (value.get_array().get(array)) return whole_integer_list<std::int32_t>(scalar_text(value)).value_or(ranks);
  for (auto element : array) {
    ondemand::value item;
    if (std::move(element).get(item)) return {};
    const std::int64_t rank = integer(item, -1);
    if (rank < 0 || rank >= 1 << 24) return {};
    ranks.push_back(static_cast<std::int32_t>(rank));
  }
  return ranks;
}

KinetoGroup group_of(ondemand::object object) {
  KinetoGroup group;
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field)) break;
    const ondemand::raw_json_string key = field.key();
    if (key.unsafe_is_equal("pg_name")) group.name = scalar_text(field.value());
    if (key.unsafe_is_equal("pg_desc")) group.description = scalar_text(field.value());
    if (key.unsafe_is_equal("ranks")) group.ranks = rank_list(field.value());
  }
  return group;
}

}  // namespace

KinetoDistributed parse_distributed_info(std::string_view json) {
  KinetoDistributed result;
  ondemand::parser parser;
  const padded_string text(json);
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(text).get(document) || document.get_object().get(object)) return result;
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field)) break;
    const ondemand::raw_json_string key = field.key();
    if (key.unsafe_is_equal("rank")) result.rank = integer(field.value(), -1);
    if (key.unsafe_is_equal("world_size")) result.world_size = integer(field.value(), -1);
    if (key.unsafe_is_equal("backend")) result.backend = scalar_text(field.value());
    if (!key.unsafe_is_equal("pg_config")) continue;
    ondemand::array groups;
    if (field.value().get_array().get(groups)) continue;
    for (auto element : groups) {
      ondemand::object group;
      if (element.get_object().get(group)) break;
      result.groups.push_back(group_of(group));
    }
  }
  return result;
}

std::string parse_text(std::string_view json) {
  ondemand::parser parser;
  const padded_string text(json);
  ondemand::document document;
  std::string_view value;
  if (parser.iterate(text).get(document) || document.get_string().get(value)) return {};
  return std::string(value);
}

void parse_device_properties(std::string_view json, const std::function<void(const KinetoDevice&)>& take) {
  ondemand::parser parser;
  const padded_string text(json);
  ondemand::document document;
  ondemand::array array;
  if (parser.iterate(text).get(document) || document.get_array().get(array)) return;
  for (auto element : array) {
    ondemand::object object;
    if (element.get_object().get(object)) return;
    KinetoDevice device;
    for (auto item : object) {
      ondemand::field field;
      if (std::move(item).get(field)) return;
      const ondemand::raw_json_string key = field.key();
      if (key.unsafe_is_equal("id")) device.id = integer(field.value(), -1);
      if (key.unsafe_is_equal("name")) device.name = scalar_text(field.value());
      if (key.unsafe_is_equal("numSms")) device.sm_count = integer(field.value(), -1);
    }
    if (device.id >= 0) take(device);
  }
}

}  // namespace moescope

// SPDX-License-Identifier: Apache-2.0
// NVTX ranges: the user's, those a framework puts around its operators, and NCCL's calls with their payloads.
#include <algorithm>
#include <cctype>

#include "analyzer/import/nsys_import.h"
#include "analyzer/import/nsys_payload.h"

namespace moescope {
namespace {

// ENUM_NSYS_EVENT_TYPE
constexpr std::int64_t kMark = 34, kPushPop = 59, kStartEnd = 60;

// PyTorch's emit_nvtx writes "aten::add, seq = 45329, op_id = 990727, sizes = [...]": one name a call.
std::string_view without_call(std::string_view text) {
  return text.substr(0, std::min(text.find(", seq = "), text.find(", op_id = ")));
}

// "ncclAllReduce", "pncclAllReduce": "AllReduce"; empty for anything else.
std::string_view nccl_call(std::string_view name) {
  if (name.starts_with('p')) name.remove_prefix(1);
  if (!name.starts_with("nccl") || name.size() < 5 || std::isupper(static_cast<unsigned char>(name[4])) == 0) return {};
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return {};
  return name.substr(4);
}

void fill(NsysNcclCall& call, const std::vector<NsysPayloadValue>& values) {
  for (const NsysPayloadValue& one : values) {
    if (one.label == "NCCL communicator ID") {
      call.communicator = static_cast<std::uint64_t>(one.value);
      call.has_communicator = true;
    } else if (one.label.starts_with("Message size")) {
      call.bytes = one.value;
    } else if (one.label.starts_with("Peer")) {
      call.peer = one.value;
    } else if (one.label.starts_with("Root")) {
      call.root = one.value;
    } else if (one.label == "No. of ranks") {
      call.ranks = one.value;
    } else if (one.label == "Rank") {
      call.rank = one.value;
    }
  }
}

class NvtxReader {
 public:
  explicit NvtxReader(NsysImport& import) : import_(import), payloads_(import.file) {
    Context context;
    context.source = Source::kNVTX;
    user_ = import.builder.context(context);
    context.flags = kContextOperator;
    operator_ = import.builder.context(context);
  }

  void read() {
    NsysRows rows(
        import_.file, "NVTX_EVENTS",
        {needed("start"), {"end"}, {"eventType"}, {"text"}, {"textId"}, {"globalTid"}, {"domainId"}, {"binaryData"}});
    for (; rows.next(); import_.progress(rows)) row(rows);
    for (const Open& one : open_) {
      Context context;
      context.source = Source::kNVTX;
      context.flags = kContextUnterminated | one.flags;
      import_.span(one.start, std::max<Ns>(0, import_.last - one.start), one.track, one.name,
                   import_.builder.context(context), 0, -1);
    }
    import_.done("NVTX_EVENTS");
    if (marks_ > 0) import_.diagnostic("info", "event_left_out", marks_, "NVTX marks and names are not spans of ours");
    if (unreadable_ > 0)
      import_.diagnostic(
          "warning", "payload_unreadable", unreadable_,
          import_.file.path() + ": NVTX payloads of NCCL are laid out in a way this version does not know");
  }

 private:
  struct Open {
    Ns start;
    TrackId track;
    NameId name;
    std::int32_t flags;
  };

  void row(const NsysRows& rows) {
    const std::int64_t type = rows.integer_or(2, kPushPop);
    if (type != kPushPop && type != kStartEnd) {
      ++marks_;
      return;
    }
    const auto begin = rows.integer(0), end = rows.integer(1);
    Ns start = 0, duration = 0;
    if (!import_.times(begin, end ? end : begin, &start, &duration)) return;
    const std::int64_t global_tid = rows.integer_or(5, 0);
    const TrackId track = import_.processes.thread(global_tid);
    if (!track.valid()) {
      ++import_.left_out_host;
      return;
    }
    const std::string_view text = rows.text(3);
    const auto id = rows.integer(4);
    // What a name says is worked out once a name: registered strings are known by their name in the trace.
    const Meaning& meaning =
        text.empty() ? meaning_of(id ? import_.strings.name(*id) : import_.builder.name("")) : meaning_of(text);
    if (!end) {
      open_.push_back({start, track, meaning.name, meaning.by_framework ? kContextOperator : 0});
      return;
    }
    import_.span(start, duration, track, meaning.name, meaning.by_framework ? operator_ : user_, 0, -1);
    if (!meaning.nccl.empty()) note(meaning.nccl, rows, global_tid, start, duration);
  }

  struct Meaning {
    NameId name;  // without what belongs to the one call
    bool by_framework = false;
    std::string nccl;  // the call, empty where it is none of NCCL's
    bool known = false;
  };

  const Meaning& meaning_of(NameId whole) {
    const auto at = static_cast<std::size_t>(whole.value);
    if (at >= meanings_.size()) meanings_.resize(std::max(at + 1, meanings_.size() * 2));
    if (!meanings_[at].known) {
      const std::string text = import_.builder.trace().names[at];
      const std::string_view name = without_call(text);
      Meaning meaning{import_.builder.name(name), name.size() != text.size(), std::string(nccl_call(name)), true};
      meaning.by_framework = meaning.by_framework || !meaning.nccl.empty();
      meanings_[at] = std::move(meaning);
    }
    return meanings_[at];
  }

  // Written out with each event, so that a text that holds its call's numbers would be a new name each time.
  const Meaning& meaning_of(std::string_view text) {
    const std::string_view name = without_call(text);
    const Meaning& meaning = meaning_of(import_.builder.name(name));
    if (name.size() == text.size()) return meaning;
    called_ = meaning;
    called_.by_framework = true;
    return called_;
  }

  void note(const std::string& op, const NsysRows& rows, std::int64_t global_tid, Ns start, Ns duration) {
    NsysNcclCall call;
    call.global_tid = global_tid;
    call.start = start;
    call.end = start + duration;
    call.op = op;
    if (const std::string_view bytes = rows.text(7); !bytes.empty()) {
      if (const auto values = payloads_.decode(rows.integer_or(6, 0), bytes))
        fill(call, *values);
      else
        ++unreadable_;
    }
    import_.nccl.push_back(std::move(call));
  }

  NsysImport& import_;
  NsysPayloads payloads_;
  ContextId user_, operator_;
  std::vector<Open> open_;
  std::vector<Meaning> meanings_;  // by NameId
  Meaning called_;
  std::uint64_t marks_ = 0, unreadable_ = 0;
};

}  // namespace

void read_nsys_nvtx(NsysImport& import) {
  if (import.file.has("NVTX_EVENTS")) NvtxReader(import).read();
}

}  // namespace moescope

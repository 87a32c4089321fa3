// SPDX-License-Identifier: Apache-2.0
#include "collector/src/nvtx_injection.h"

#include <array>
#include <cwchar>

#include "collector/src/nvtx_names.h"
#include "collector/src/session.h"
#include "collector/src/thread_state.h"

namespace moescope::collector {
namespace {

// A wide text as UTF-8, cut at kLongestText bytes.
class Utf8 {
 public:
  explicit Utf8(const wchar_t* wide) {
    if (wide == nullptr) return;
    for (; *wide != 0 && length_ + 4 <= bytes_.size(); ++wide) add(static_cast<std::uint32_t>(*wide));
  }
  std::string_view text() const { return {bytes_.data(), length_}; }

 private:
  void put(std::uint32_t byte) { bytes_[length_++] = static_cast<char>(byte); }
  void add(std::uint32_t code) {
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6), put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
    } else {
      put(0xf0 | (code >> 18 & 7)), put(0x80 | (code >> 12 & 0x3f)), put(0x80 | (code >> 6 & 0x3f));
      put(0x80 | (code & 0x3f));
    }
  }
  std::array<char, kLongestText> bytes_;
  std::size_t length_ = 0;
};

const NvtxDomain* domain_of(void* handle) {
  return static_cast<const NvtxDomain*>(handle);
}

struct Event {
  RecordType type;
  const NvtxDomain* domain = nullptr;
  std::uint64_t range = 0;
  std::uint32_t depth = 0;
  bool must = false;
};

void write(ThreadState& thread, const Event& event, const NvtxString* registered, std::string_view text) {
  const bool fine = thread.write<NvtxRecord>(event.type, event.must, text, {}, [&](NvtxRecord& r) {
    r.head.depth = event.depth;
    r.domain = event.domain;
    r.registered = registered;
    r.range = event.range;
    r.name_bytes = static_cast<std::uint32_t>(text.size());
    r.reserved = 0;
    r.head.time = monotonic_ns();  // last: our own work is not in the range
  });
  if (fine) thread.written();
}

// The text of an event's attributes, whatever its kind, given to write().
void write_attributed(ThreadState& thread, const Event& event, const nvtx::EventAttributes* attributes) {
  if (attributes == nullptr) return write(thread, event, nullptr, {});
  switch (attributes->message_type) {
    case nvtx::kMessageAscii:
      return write(thread, event, nullptr, text_of(attributes->message.ascii));
    case nvtx::kMessageUnicode:
      return write(thread, event, nullptr, Utf8(attributes->message.unicode).text());
    case nvtx::kMessageRegistered:
      return write(thread, event, static_cast<const NvtxString*>(attributes->message.registered), {});
    default:
      return write(thread, event, nullptr, {});
  }
}

// Level of ranges open in a domain on this thread; nullptr where there is no memory for it.
std::uint32_t* depth_in(ThreadState& thread, const NvtxDomain* domain) {
  const std::size_t id = domain == nullptr ? 0 : domain->id;
  try {
    if (thread.nvtx_depths.size() <= id) thread.nvtx_depths.resize(id + 1, 0);
  } catch (...) {
    return nullptr;
  }
  return &thread.nvtx_depths[id];
}

template <class Write>
int push(const NvtxDomain* domain, Write write_text) {
  const Entered thread;
  if (!thread) return nvtx::kNoPushPopTracking;
  std::uint32_t* depth = depth_in(*thread, domain);
  if (depth == nullptr) return nvtx::kNoPushPopTracking;
  thread->write_context();
  write_text(*thread, Event{RecordType::kNvtxPush, domain, 0, *depth, false});
  return static_cast<int>((*depth)++);
}

int pop(const NvtxDomain* domain) {
  const Entered thread;
  if (!thread) return nvtx::kNoPushPopTracking;
  const std::int64_t now = monotonic_ns();
  std::uint32_t* depth = depth_in(*thread, domain);
  if (depth == nullptr || *depth == 0) {
    ThreadState::count(thread->unbalanced);
    return nvtx::kNoPushPopTracking;
  }
  const std::uint32_t level = --*depth;
  const bool fine = thread->write<NvtxRecord>(RecordType::kNvtxPop, true, {}, {}, [&](NvtxRecord& r) {
    r.head.time = now;
    r.head.depth = level;
    r.domain = domain;
    r.registered = nullptr;
    r.range = 0;
    r.name_bytes = r.reserved = 0;
  });
  if (fine) thread->written();
  return static_cast<int>(level);
}

template <class Write>
void mark(const NvtxDomain* domain, Write write_text) {
  const Entered thread;
  if (!thread) return;
  thread->write_context();
  write_text(*thread, Event{RecordType::kNvtxMark, domain});
}

template <class Write>
std::uint64_t start(const NvtxDomain* domain, Write write_text) {
  const Entered thread;
  if (!thread) return 0;
  // Unique without asking other threads: the thread's serial number, then its own count.
  const std::uint64_t range = (std::uint64_t{thread->serial} + 1) << 40 | ++thread->nvtx_ranges;
  thread->write_context();
  write_text(*thread, Event{RecordType::kNvtxStart, domain, range});
  return range;
}

void finish(std::uint64_t range) {
  const Entered thread;
  if (!thread || range == 0) return;
  write(*thread, Event{RecordType::kNvtxFinish, nullptr, range, 0, true}, nullptr, {});
}

auto attributed(const nvtx::EventAttributes* attributes) {
  return [attributes](ThreadState& thread, const Event& event) { write_attributed(thread, event, attributes); };
}
auto ascii(const char* text) {
  return [text](ThreadState& thread, const Event& event) { write(thread, event, nullptr, text_of(text)); };
}
auto wide(const wchar_t* text) {
  return [text](ThreadState& thread, const Event& event) { write(thread, event, nullptr, Utf8(text).text()); };
}

void name_thread(std::uint32_t os_tid, std::string_view name) {
  const Entered thread;
  if (!thread) return;
  thread->write<ThreadNameRecord>(RecordType::kThreadName, true, name, {}, [&](ThreadNameRecord& r) {
    r.head.time = 0;
    r.os_tid = os_tid;
    r.name_bytes = static_cast<std::uint32_t>(name.size());
  });
}

// --- what NVTX calls, by callback id
using Attributes = const nvtx::EventAttributes*;

void mark_ex(Attributes a) {
  mark(nullptr, attributed(a));
}
void mark_a(const char* text) {
  mark(nullptr, ascii(text));
}
void mark_w(const wchar_t* text) {
  mark(nullptr, wide(text));
}
std::uint64_t start_ex(Attributes a) {
  return start(nullptr, attributed(a));
}
std::uint64_t start_a(const char* text) {
  return start(nullptr, ascii(text));
}
std::uint64_t start_w(const wchar_t* text) {
  return start(nullptr, wide(text));
}
void range_end(std::uint64_t range) {
  finish(range);
}
int push_ex(Attributes a) {
  return push(nullptr, attributed(a));
}
int push_a(const char* text) {
  return push(nullptr, ascii(text));
}
int push_w(const wchar_t* text) {
  return push(nullptr, wide(text));
}
int range_pop() {
  return pop(nullptr);
}
void name_os_thread_a(std::uint32_t tid, const char* name) {
  name_thread(tid, text_of(name));
}
void name_os_thread_w(std::uint32_t tid, const wchar_t* name) {
  name_thread(tid, Utf8(name).text());
}

void domain_mark_ex(void* d, Attributes a) {
  mark(domain_of(d), attributed(a));
}
std::uint64_t domain_start_ex(void* d, Attributes a) {
  return start(domain_of(d), attributed(a));
}
void domain_range_end(void*, std::uint64_t range) {
  finish(range);
}
int domain_push_ex(void* d, Attributes a) {
  return push(domain_of(d), attributed(a));
}
int domain_pop(void* d) {
  return pop(domain_of(d));
}
const void* register_string_a(void* d, const char* text) {
  return nvtx_string(domain_of(d), text_of(text));
}
const void* register_string_w(void* d, const wchar_t* text) {
  return nvtx_string(domain_of(d), Utf8(text).text());
}
const void* domain_create_a(const char* name) {
  return nvtx_domain(text_of(name));
}
const void* domain_create_w(const wchar_t* name) {
  return nvtx_domain(Utf8(name).text());
}

struct Handler {
  int module;
  unsigned id;
  nvtx::Function function;
};
template <class F>
nvtx::Function plain(F* function) {
  return reinterpret_cast<nvtx::Function>(function);
}

}  // namespace

int attach_nvtx(nvtx::ExportTable export_table) {
  if (export_table == nullptr) return 0;
  const auto* callbacks = static_cast<const nvtx::CallbacksTable*>(export_table(nvtx::kCallbacksTable));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(nvtx::CallbacksTable)) return 0;
  // Categories, resources and destroyed domains leave nothing in the record: those calls stay no-ops.
  const Handler handlers[] = {
      {nvtx::kModuleCore, nvtx::kMarkEx, plain(mark_ex)},
      {nvtx::kModuleCore, nvtx::kMarkA, plain(mark_a)},
      {nvtx::kModuleCore, nvtx::kMarkW, plain(mark_w)},
      {nvtx::kModuleCore, nvtx::kRangeStartEx, plain(start_ex)},
      {nvtx::kModuleCore, nvtx::kRangeStartA, plain(start_a)},
      {nvtx::kModuleCore, nvtx::kRangeStartW, plain(start_w)},
      {nvtx::kModuleCore, nvtx::kRangeEnd, plain(range_end)},
      {nvtx::kModuleCore, nvtx::kRangePushEx, plain(push_ex)},
      {nvtx::kModuleCore, nvtx::kRangePushA, plain(push_a)},
      {nvtx::kModuleCore, nvtx::kRangePushW, plain(push_w)},
      {nvtx::kModuleCore, nvtx::kRangePop, plain(range_pop)},
      {nvtx::kModuleCore, nvtx::kNameOsThreadA, plain(name_os_thread_a)},
      {nvtx::kModuleCore, nvtx::kNameOsThreadW, plain(name_os_thread_w)},
      {nvtx::kModuleCore2, nvtx::kDomainMarkEx, plain(domain_mark_ex)},
      {nvtx::kModuleCore2, nvtx::kDomainRangeStartEx, plain(domain_start_ex)},
      {nvtx::kModuleCore2, nvtx::kDomainRangeEnd, plain(domain_range_end)},
      {nvtx::kModuleCore2, nvtx::kDomainRangePushEx, plain(domain_push_ex)},
      {nvtx::kModuleCore2, nvtx::kDomainRangePop, plain(domain_pop)},
      {nvtx::kModuleCore2, nvtx::kDomainRegisterStringA, plain(register_string_a)},
      {nvtx::kModuleCore2, nvtx::kDomainRegisterStringW, plain(register_string_w)},
      {nvtx::kModuleCore2, nvtx::kDomainCreateA, plain(domain_create_a)},
      {nvtx::kModuleCore2, nvtx::kDomainCreateW, plain(domain_create_w)},
  };
  for (const int module : {nvtx::kModuleCore, nvtx::kModuleCore2}) {
    nvtx::FunctionTable table = nullptr;
    unsigned size = 0;
    if (callbacks->module_functions(module, &table, &size) != 1 || table == nullptr) continue;  // an older header
    for (const Handler& handler : handlers)
      if (handler.module == module && handler.id < size && table[handler.id] != nullptr)
        *table[handler.id] = handler.function;
  }
  return 1;
}

}  // namespace moescope::collector

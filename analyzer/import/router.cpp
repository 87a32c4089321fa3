// SPDX-License-Identifier: Apache-2.0
#include "analyzer/import/router.h"

#include "analyzer/import/byte_source.h"
#include "analyzer/import/npz_archive.h"
#include "analyzer/import/router_json.h"
#include "analyzer/import/router_table.h"
#include "analyzer/model/trace_error.h"

namespace moescope {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30;  // of text; counts of a run are megabytes

std::string whole_text(const std::string& path, const ImportOptions& options) {
  const auto source = open_bytes(path);
  std::string text;
  std::size_t got = 0;
  do {
    const std::size_t before = text.size();
    text.resize(before + (std::size_t{1} << 20));
    got = source->read(text.data() + before, std::size_t{1} << 20);
    text.resize(before + got);
    if (options.progress) options.progress(source->consumed(), source->size());
    if (text.size() > kMostBytes)
      throw TraceError(path, "", "more than 2 GB of router counts", "split the file by steps");
  } while (got > 0);
  return text;
}

// Its only array, or the one of the recorder's name.
void read_npz(std::string_view bytes, RouterBuilder& builder) {
  std::string trouble, names;
  const std::vector<NpzArray> arrays = npz_arrays(bytes, &trouble);
  if (arrays.empty()) builder.refuse("archive", trouble, "save it again");
  for (const NpzArray& array : arrays) {
    if (arrays.size() == 1 || array.name == "logical_count") return read_npy(array.bytes, builder);
    names += (names.empty() ? "" : ", ") + array.name;
  }
  builder.refuse("archive", "several arrays: " + names, "call the one with tokens per expert logical_count");
}

bool sniff(std::string_view head) {
  return looks_like_router_json(head) || looks_like_router_lines(head) || looks_like_router_csv(head) ||
         looks_like_placement(head) || looks_like_npy(head) || looks_like_npz(head);
}

void read(const std::string& path, const ImportOptions& options, TraceBuilder& trace) {
  RouterBuilder builder(path, trace);
  std::string text = whole_text(path, options);
  const std::string_view head = std::string_view(text).substr(0, 1 << 16);
  if (looks_like_router_lines(head)) {
    read_router_lines(path, text, builder);
  } else if (looks_like_npy(head)) {
    read_npy(text, builder);
  } else if (looks_like_npz(head)) {
    read_npz(text, builder);
  } else if (looks_like_router_csv(head)) {
    read_router_csv(text, builder);
  } else if (looks_like_placement(head)) {
    read_placement(text, builder);
  } else {
    read_router_json(path, std::move(text), builder);
  }
  builder.finish();
}

}  // namespace

Importer router_importer() {
  return {"router", "tokens per expert and expert placements: JSON, JSON lines, CSV, NumPy", sniff, read};
}

}  // namespace moescope

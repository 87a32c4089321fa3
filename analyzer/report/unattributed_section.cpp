// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/unattributed_section.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analyzer/model/parallel.h"
#include "analyzer/stage/kernel_name.h"

namespace moescope {
namespace {

constexpr std::size_t kShownInReport = 3, kListed = 40;

struct Unknown {
  std::int32_t name = -1;
  std::int64_t spans = 0;
  Ns time = 0;              // of its spans in scope, summed
  std::int32_t range = -1;  // that launched its first span with one
};

struct Listing {
  std::vector<Unknown> names;  // the longest first
  Ns time = 0, all = 0;        // theirs, and of all work in scope, summed
  double share(Ns time_ns) const { return all > 0 ? static_cast<double>(time_ns) / static_cast<double>(all) : 0; }
};

Listing listing(const ReportInput& input) {
  const Attribution& attribution = input.attribution;
  const Selection& selection = input.analysis.selection;
  struct Share {
    std::unordered_map<std::int32_t, Unknown> names;
    Ns time = 0, all = 0;
  };
  std::vector<Share> parts(selection.devices.size());
  each_in_parallel(parts.size(), input.trace.spans.size(), [&] {
    return [&](std::size_t device) {
      Share part;
      for (const std::size_t row : selection.devices[device].rows) {
        const Ns time = selection.interval(input.trace, row).length();
        part.all += time;
        if (attribution.stage[row] != Stage::kUNATTRIBUTED) continue;
        Unknown& one = part.names[input.trace.spans.name[row]];
        ++one.spans;
        one.time += time;
        part.time += time;
        if (one.range < 0) one.range = attribution.annotation[row];
      }
      parts[device] = std::move(part);
    };
  });
  Listing result;
  std::unordered_map<std::int32_t, Unknown> by_name;
  for (const Share& part : parts) {
    result.all += part.all;
    result.time += part.time;
    for (const auto& [name, its] : part.names) {
      Unknown& one = by_name[name];
      one.name = name;
      one.spans += its.spans;
      one.time += its.time;
      if (one.range < 0) one.range = its.range;
    }
  }
  for (const auto& [name, one] : by_name) result.names.push_back(one);
  std::sort(result.names.begin(), result.names.end(),
            [](const Unknown& a, const Unknown& b) { return a.time != b.time ? a.time > b.time : a.name < b.name; });
  return result;
}

std::string text_of(const ReportInput& input, std::int32_t name) {
  return name < 0 ? "" : input.trace.names[static_cast<std::size_t>(name)];
}

// A rule for the name as one would write it: its text up to the arguments.
std::string rule_for(const ReportInput& input, const Unknown& one) {
  std::string name = readable_kernel_name(text_of(input, one.name));
  if (name.starts_with("void ")) name.erase(0, 5);
  name.resize(std::min(name.find_first_of("<(\"\n"), name.size()));
  return "kernel  \"" + name + "\"  STAGE";
}

void table_of(const ReportInput& input, const Listing& all, std::size_t shown, TextPage& page) {
  TextTable table({"kernel", "spans", "time", "of all work", "launched in"});
  for (std::size_t i = 0; i < std::min(shown, all.names.size()); ++i) {
    const Unknown& one = all.names[i];
    table.row({name_text(readable_kernel_name(text_of(input, one.name))), std::to_string(one.spans),
               time_text(static_cast<double>(one.time)), percent_text(all.share(one.time)),
               one.range < 0 ? "" : name_text(text_of(input, one.range))});
  }
  page.table(table);
  if (all.names.size() <= shown) return;
  std::int64_t spans = 0;
  Ns time = 0;
  for (std::size_t i = shown; i < all.names.size(); ++i) spans += all.names[i].spans, time += all.names[i].time;
  page.line(std::to_string(all.names.size() - shown) + " more: " + std::to_string(spans) + " spans, " +
            time_text(static_cast<double>(time)) + ", " + percent_text(all.share(time)) + " of all work");
}

}  // namespace

void unattributed_text(const ReportInput& input, TextPage& page) {
  const Listing all = listing(input);
  if (all.names.empty() || all.share(all.time) < 0.001) return;
  page.title("Unattributed", "work whose stage no rule, range or mark tells");
  table_of(input, all, kShownInReport, page);
  page.line("moescope report --unattributed lists all; a rules file names them: " + rule_for(input, all.names[0]));
}

void unattributed_json(const ReportInput& input, JsonWriter& json) {
  const Listing all = listing(input);
  json.begin_array();
  const auto figures = [&](std::int64_t spans, Ns time) {
    json.field("count", spans);
    json.field("time_ns", time);
    json.field("share", all.share(time));
  };
  std::int64_t spans = 0;
  Ns time = 0;
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    const Unknown& one = all.names[i];
    if (i >= kListed) {
      spans += one.spans;
      time += one.time;
      continue;
    }
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("kernel", readable_kernel_name(text_of(input, one.name)));
    figures(one.spans, one.time);
    if (one.range >= 0) json.field("launched_in", text_of(input, one.range));
    json.end_object();
  }
  if (spans > 0) {
    json.begin_object(JsonWriter::Layout::kLine);
    json.field("other_kernels", static_cast<std::int64_t>(all.names.size() - kListed));
    figures(spans, time);
    json.end_object();
  }
  json.end_array();
}

std::string unattributed_page(const ReportInput& input, const TextStyle& style) {
  TextPage page(style);
  const Listing all = listing(input);
  page.title("Unattributed", "work whose stage no rule, range or mark tells");
  if (all.names.empty()) {
    page.line("none: every kernel and copy in this scope has a stage");
    return page.take();
  }
  page.line(percent_text(all.share(all.time)) + " of all work, " + time_text(static_cast<double>(all.time)) + ", " +
            std::to_string(all.names.size()) + " kernels");
  table_of(input, all, kListed, page);
  page.line("A rules file gives them a stage (--rules FILE); a line for the first:");
  page.line("  " + rule_for(input, all.names[0]));
  page.line("Ranges help where names can't: work takes the stage of the range that launched it.");
  return page.take();
}

}  // namespace moescope

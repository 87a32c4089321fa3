// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stage/name_filter.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace moescope {
namespace {

constexpr std::size_t kKeyBytes = 4;
constexpr std::size_t kMostLists = 8;   // bits of a byte
constexpr std::size_t kBuckets = 4096;  // most are empty, so that most places of a name cost one look

std::uint32_t key_at(const char* bytes) {
  std::uint32_t key;
  std::memcpy(&key, bytes, kKeyBytes);
  return key;
}

std::size_t bucket_of(std::uint32_t key) {
  return (key * 0x9E3779B1u) >> 20;  // the top 12 bits
}

}  // namespace

NameFilter::NameFilter(const std::vector<std::vector<std::vector<std::string>>>& needed) {
  std::unordered_map<std::uint32_t, std::size_t> common;
  for (const auto& lists : needed)
    for (const auto& texts : lists)
      for (const std::string& text : texts)
        for (std::size_t at = 0; at + kKeyBytes <= text.size(); ++at) ++common[key_at(text.data() + at)];
  lists_.assign(needed.size(), 0);
  for (std::size_t pattern = 0; pattern < needed.size(); ++pattern) {
    for (std::size_t list = 0; list < std::min(needed[pattern].size(), kMostLists); ++list) {
      lists_[pattern] |= static_cast<std::uint8_t>(1u << list);
      for (const std::string& text : needed[pattern][list]) {
        std::size_t best = 0;
        for (std::size_t at = 1; at + kKeyBytes <= text.size(); ++at)
          if (common[key_at(text.data() + at)] < common[key_at(text.data() + best)]) best = at;
        entries_.push_back({key_at(text.data() + best), static_cast<std::uint32_t>(best),
                            static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(pattern),
                            static_cast<std::uint8_t>(list)});
        texts_.push_back(text);
      }
    }
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return bucket_of(a.key) < bucket_of(b.key); });
  buckets_.assign(kBuckets + 1, 0);
  for (const Entry& entry : entries_) ++buckets_[bucket_of(entry.key) + 1];
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i + 1] += buckets_[i];
}

std::vector<std::uint64_t> NameFilter::possible(std::string_view name) const {
  std::vector<std::uint8_t> missing = lists_;  // of each pattern, the lists of which no text was met so far
  for (std::size_t at = 0; !entries_.empty() && at + kKeyBytes <= name.size(); ++at) {
    const std::uint32_t key = key_at(name.data() + at);
    const std::size_t bucket = bucket_of(key);
    for (std::uint32_t i = buckets_[bucket]; i < buckets_[bucket + 1]; ++i) {
      const Entry& entry = entries_[i];
      if (entry.key != key || entry.offset > at || (missing[entry.pattern] >> entry.list & 1) == 0) continue;
      const std::string& text = texts_[entry.text];
      if (name.compare(at - entry.offset, text.size(), text) == 0)
        missing[entry.pattern] &= static_cast<std::uint8_t>(~(1u << entry.list));
    }
  }
  std::vector<std::uint64_t> found((lists_.size() + 63) / 64, 0);
  for (std::size_t pattern = 0; pattern < missing.size(); ++pattern)
    found[pattern / 64] |= std::uint64_t{missing[pattern] == 0} << (pattern % 64);
  return found;
}

}  // namespace moescope

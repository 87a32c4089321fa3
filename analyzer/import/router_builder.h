#pragma once
// SPDX-License-Identifier: Apache-2.0
// Collects the counts of one router file, in any order, and puts them into a trace.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "analyzer/model/trace.h"

namespace moescope {

class RouterBuilder {
 public:
  RouterBuilder(const std::string& path, TraceBuilder& builder) : path_(path), builder_(builder) {}

  static constexpr std::int64_t kMostExperts = 1 << 16, kMostLayers = 1 << 16;
  // Pairs of tokens with an expert; the same place again adds to it. rank -1: of all ranks together. step, micro_batch
  // -1: not said.
  struct Place {
    std::int64_t step = -1, layer = -1, micro_batch = -1, rank = -1, expert = 0;
    auto operator<=>(const Place&) const = default;
  };
  void add(const Place& place, std::int64_t assigned, std::int64_t kept);
  // where: line 7, row 3, ...; throws TraceError on what no count can be.
  std::int64_t tokens(double value, const std::string& where) const;
  std::int64_t index(double value, std::int64_t limit, const char* what, const std::string& where) const;
  void place(std::int64_t layer, std::int64_t physical, std::int64_t logical, std::int64_t rank);
  void routing(bool synthetic) {
    synthetic_ = synthetic_ || synthetic;
    said_ = true;
  }  // the file says so
  [[noreturn]] void refuse(const std::string& where, const std::string& what, const std::string& mend) const;

  // Into the trace. Throws TraceError where there was nothing.
  void finish();

 private:
  struct Count {
    std::int64_t assigned = 0, kept = 0;
  };
  const std::string& path_;
  TraceBuilder& builder_;
  std::map<Place, Count> counts_;
  std::size_t placements_ = 0;
  bool said_ = false, synthetic_ = false;
};

}  // namespace moescope

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows of one small table that wait for the next flush, with the INSERT that takes them.

#include <cstddef>
#include <vector>

#include "collector/trace/database.h"

namespace moescope::trace {

template <class Row>
class PendingRows {
 public:
  using Bind = void (*)(Statement&, const Row&);
  // keep: rows that others point to stay here when a flush fails.
  PendingRows(const char* sql, bool keep, Bind bind) : sql_(sql), keep_(keep), bind_(bind) {}

  void add(const Row& row) { rows_.push_back(row); }
  std::size_t size() const { return rows_.size(); }

  bool write(Database& database) {
    if (rows_.empty()) return true;
    if (!prepared_) {
      if (!database.prepare(sql_, &insert_)) return false;
      prepared_ = true;
    }
    for (const Row& row : rows_) {
      bind_(insert_, row);
      insert_.step();
      const bool fine = insert_.ok();
      insert_.reset();
      if (!fine) return false;
    }
    return true;
  }
  void committed() { rows_.clear(); }
  // Returns how many rows are lost.
  std::size_t failed() {
    if (keep_) return 0;
    const std::size_t lost = rows_.size();
    rows_.clear();
    return lost;
  }

 private:
  const char* sql_;
  bool keep_;
  Bind bind_;
  bool prepared_ = false;
  Statement insert_;
  std::vector<Row> rows_;
};

}  // namespace moescope::trace

#pragma once
// SPDX-License-Identifier: Apache-2.0
// The lines of a file, plain or gzip, one after another in memory of one line.

#include <memory>
#include <string>
#include <string_view>

#include "analyzer/import/byte_source.h"
#include "analyzer/import/importer.h"

namespace moescope {

class LineSource {
 public:
  LineSource(const std::string& path, const ImportOptions& options);
  // The next line that holds more than white space, without its end; valid until the next call. Throws TraceError.
  bool next(std::string_view* line);
  std::string where() const { return "line " + std::to_string(number_); }  // of the last one
  bool last_is_whole() const { return whole_; }                            // it ended in a newline
  std::string early_end() const { return source_->early_end(); }

 private:
  const std::string& path_;
  const ImportOptions& options_;
  std::unique_ptr<ByteSource> source_;
  std::string text_;
  std::size_t begin_ = 0, searched_ = 0;
  std::size_t number_ = 0;
  bool ended_ = false, whole_ = true;
};

}  // namespace moescope

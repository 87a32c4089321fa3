#pragma once
// SPDX-License-Identifier: Apache-2.0
// A figure, or the reason there is none. NaN, 0 and 100 % never stand for "don't know".

#include <string>
#include <utility>
#include <variant>

namespace moescope {

struct Abstained {
  std::string reason;  // one sentence, for the user: what is missing and how to get it
};

template <class T>
class Answer {
 public:
  Answer(T value) : value_(std::move(value)) {}                  // NOLINT: implicit by design
  Answer(Abstained abstained) : value_(std::move(abstained)) {}  // NOLINT: implicit by design
  explicit operator bool() const { return value_.index() == 0; }
  const T& value() const { return std::get<0>(value_); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  const std::string& reason() const { return std::get<1>(value_).reason; }  // only where there is no value

 private:
  std::variant<T, Abstained> value_;
};

}  // namespace moescope

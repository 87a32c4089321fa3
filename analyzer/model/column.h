#pragma once
// SPDX-License-Identifier: Apache-2.0
// A vector with one entry a span row. It differs from any other vector in one way that matters at ten million rows:
// entries made by resize(n) are not set, so whoever makes a column writes every entry, and writes it once.

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace moescope {

template <class T>
class ColumnAllocator : public std::allocator<T> {
 public:
  template <class U>
  struct rebind {
    using other = ColumnAllocator<U>;
  };
  ColumnAllocator() = default;
  template <class U>
  ColumnAllocator(const ColumnAllocator<U>&) {}  // NOLINT: what an allocator is

  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
};

template <class T>
using Column = std::vector<T, ColumnAllocator<T>>;

}  // namespace moescope

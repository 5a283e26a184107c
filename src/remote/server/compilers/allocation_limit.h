// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_ALLOCATION_LIMIT_H
#define SARTOR_REMOTE_SERVER_COMPILERS_ALLOCATION_LIMIT_H

#include <cstdint>

namespace sartor::remote {

/// While it exists, this thread cannot allocate more than a number of bytes beyond those that it
/// frees. Other threads have limits of their own, so that each is stopped by what it has allocated
/// itself. Counts malloc() and everything that is built on it, as far as the executable contains
/// allocation_limit.cpp; nothing under sanitizers. At most one per thread at a time.
class AllocationLimit {
public:
  /// Called by the allocation that would exceed the limit, which has ended by then. Does not
  /// return.
  using Exceeded = void (*)();

  AllocationLimit(std::uint64_t bytes, Exceeded exceeded);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit &) = delete;
  AllocationLimit &operator=(const AllocationLimit &) = delete;

  /// The number of bytes that may still be allocated.
  [[nodiscard]] std::uint64_t left() const;
};

} // namespace sartor::remote

#endif

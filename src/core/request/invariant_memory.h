// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_INVARIANT_MEMORY_H
#define SARTOR_CORE_REQUEST_INVARIANT_MEMORY_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/request/native_call.h"

namespace sartor::core {

/// A range of addresses; the end is exclusive.
struct Extent {
  std::uintptr_t address = 0;
  std::uintptr_t end = 0;
};

/// Bytes of invariant memory.
struct Region {
  std::uint64_t invariant = 0; ///< The number of the invariant that it comes from.
  std::uintptr_t address = 0;
  /// Null if InvariantMemory::fetch() returns the bytes.
  std::shared_ptr<const std::string> bytes;
  std::uintptr_t unread = 0; ///< Number of bytes, if they were not read.

  [[nodiscard]] std::uintptr_t end() const { return address + (bytes ? bytes->size() : unread); }
};

/// Invariant memory that can be reached by pointers.
struct Reached {
  std::vector<Region> regions; ///< Sorted by address, disjoint.
  /// The objects that were declared; the regions are parts of them. Sorted by address, disjoint.
  std::vector<Extent> objects;
  std::vector<std::uint64_t> invariants = {}; ///< Numbers of all invariants in it, sorted.
};

/// The invariant memory that a handler can reach, which is found and read when a variant is made.
/// Thread-safe.
class InvariantMemory {
public:
  virtual ~InvariantMemory() = default;

  /// A unique number.
  [[nodiscard]] virtual std::uint64_t number() const = 0;
  /// Finds and reads the memory at the first call; later, and after a failure, returns the same
  /// again. Later declarations and revocations do not affect it. Fails with unreadable_memory.
  virtual const Result<Reached> &read() = 0;
  [[nodiscard]] virtual bool is_read() const = 0;
  /// Available once it is read: equal for objects that consist of the same invariant memory.
  [[nodiscard]] virtual const std::string &name() const = 0;
  /// Returns bytes within a region that has not been read. Nothing if they are not available.
  virtual std::optional<std::string> fetch(std::uintptr_t /*address*/, std::size_t /*size*/) {
    return std::nullopt;
  }

  /// Makes a call, which may read the memory of these invariants: a thread that revokes one of them
  /// waits for it. Nothing if one is not valid any more, or if call_native() fails.
  virtual std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                            const NativeCall &call) = 0;
};

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_PROMISED_MEMORY_H
#define SARTOR_CORE_REQUEST_PROMISED_MEMORY_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/request/native_call.h"

namespace sartor::core {

/// Addresses from one to before another.
struct Extent {
  std::uintptr_t address = 0;
  std::uintptr_t end = 0;
};

/// Bytes of invariant memory.
struct Region {
  std::uint64_t promise = 0; ///< The number of the promise that it comes from.
  std::uintptr_t address = 0;
  /// Null where PromisedMemory::fetch() tells them.
  std::shared_ptr<const std::string> bytes;
  std::uintptr_t unread = 0; ///< How many there are, if so.

  [[nodiscard]] std::uintptr_t end() const { return address + (bytes ? bytes->size() : unread); }
};

/// Invariant memory that can be reached by pointers.
struct Reached {
  std::vector<Region> regions; ///< Sorted by address, disjoint.
  /// The objects that the promises were given for, of which the regions are parts. Sorted by
  /// address, disjoint.
  std::vector<Extent> objects;
  std::vector<std::uint64_t> promises = {}; ///< Numbers of all that it consists of, sorted.
};

/// The invariant memory that a handler can reach, which is found and read when a variant is made.
/// Thread-safe.
class PromisedMemory {
public:
  virtual ~PromisedMemory() = default;

  /// Tells this from all others.
  [[nodiscard]] virtual std::uint64_t number() const = 0;
  /// Finds and reads it, the first time; later, and after a failure, tells the same again. What is
  /// promised or taken back afterwards makes no difference to it. Fails with unreadable_memory.
  virtual const Result<Reached> &read() = 0;
  [[nodiscard]] virtual bool is_read() const = 0;
  /// Once it is read: equal for what consists of the same promised memory.
  [[nodiscard]] virtual const std::string &name() const = 0;
  /// Bytes within a region that has not been read. Nothing if they cannot be had.
  virtual std::optional<std::string> fetch(std::uintptr_t /*address*/, std::size_t /*size*/) {
    return std::nullopt;
  }

  /// Makes a call, which may read the memory of these promises: whoever takes one of them back
  /// waits for it. Nothing if one does not hold any more, or where call_native() gives nothing.
  virtual std::optional<std::uint64_t> call(std::span<const std::uint64_t> promises,
                                            const NativeCall &call) = 0;
};

} // namespace sartor::core

#endif

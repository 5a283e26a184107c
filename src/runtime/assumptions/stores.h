// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_STORES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_STORES_H

#include <cstdint>

#include "core/request/invariant_memory.h"

namespace sartor::runtime {

/// Called before a store that the compiler has guarded: invalidates all quasi-invariants about this
/// memory, and waits until no code depends on them, except `inside` a handler. Returns false if one
/// of them refuses the store. Otherwise end_store() must follow on the same thread; stores within
/// stores end first.
bool begin_store(core::Extent memory, bool inside);
void end_store();

/// While one exists, all stores that ask are counted, whether or not there is a quasi-invariant
/// about them. Thread-safe.
class StoreCount {
public:
  StoreCount();
  ~StoreCount();
  StoreCount(const StoreCount &) = delete;
  StoreCount &operator=(const StoreCount &) = delete;

  /// The number of stores since some time before the object was created.
  [[nodiscard]] std::uint64_t so_far() const;
};

} // namespace sartor::runtime

#endif

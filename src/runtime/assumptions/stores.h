// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_STORES_H
#define SARTOR_RUNTIME_ASSUMPTIONS_STORES_H

#include <cstdint>

#include "core/request/promised_memory.h"

namespace sartor::runtime {

/// A store that the compiler has guarded is about to change some memory: breaks all facts about it,
/// and waits until nobody leans on them, but `inside` a handler. False: one of them has it left
/// out. Otherwise end_store() must follow on the same thread; stores within stores end first.
bool begin_store(core::Extent memory, bool inside);
void end_store();

/// While one exists, all stores that ask are counted, whether there is a fact about them or not.
/// Thread-safe.
class StoreCount {
public:
  StoreCount();
  ~StoreCount();
  StoreCount(const StoreCount &) = delete;
  StoreCount &operator=(const StoreCount &) = delete;

  /// Since some moment before it was made.
  [[nodiscard]] std::uint64_t so_far() const;
};

} // namespace sartor::runtime

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/comparison_memory.h"

#include <sys/mman.h>

#include "base/map_pages.h"

namespace sartor::runtime {

ComparisonMemories::~ComparisonMemories() {
  for (const Slot &slot : slots_)
    if (slot.memory)
      munmap(slot.memory, sizeof(ComparisonMemory));
}

ComparisonMemory *ComparisonMemories::acquire() {
  for (Slot &slot : slots_) {
    if (slot.is_used.exchange(true, std::memory_order_acquire))
      continue;
    if (!slot.memory)
      slot.memory = static_cast<ComparisonMemory *>(base::map_pages(sizeof(ComparisonMemory)));
    if (slot.memory)
      return slot.memory;
    slot.is_used.store(false, std::memory_order_release);
    return nullptr;
  }
  return nullptr;
}

void ComparisonMemories::release(const ComparisonMemory *memory) {
  for (Slot &slot : slots_)
    if (slot.memory == memory)
      slot.is_used.store(false, std::memory_order_release);
}

void ComparisonMemories::reset_in_child() {
  for (Slot &slot : slots_)
    slot.is_used.store(false, std::memory_order_relaxed);
}

} // namespace sartor::runtime

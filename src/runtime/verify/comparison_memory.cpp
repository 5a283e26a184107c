// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/comparison_memory.h"

#include <sys/mman.h>

#include "base/map_pages.h"

namespace sartor::runtime {

ComparisonMemories::~ComparisonMemories() {
  for (const Slot &slot : slots_)
    if (ComparisonMemory *const memory = slot.memory)
      munmap(memory, sizeof(ComparisonMemory));
}

ComparisonMemory *ComparisonMemories::acquire() {
  for (Slot &slot : slots_) {
    if (slot.is_used.exchange(true, std::memory_order_acquire))
      continue;
    ComparisonMemory *memory = slot.memory.load(std::memory_order_relaxed);
    if (!memory) {
      memory = static_cast<ComparisonMemory *>(base::map_pages(sizeof(ComparisonMemory)));
      slot.memory.store(memory, std::memory_order_relaxed);
    }
    if (memory)
      return memory;
    slot.is_used.store(false, std::memory_order_release);
    return nullptr;
  }
  return nullptr;
}

void ComparisonMemories::release(const ComparisonMemory *memory) {
  if (!memory) // as is that of a slot whose first user is about to map it
    return;
  for (Slot &slot : slots_)
    if (slot.memory.load(std::memory_order_relaxed) == memory)
      slot.is_used.store(false, std::memory_order_release);
}

void ComparisonMemories::reset_in_child() {
  for (Slot &slot : slots_)
    slot.is_used.store(false, std::memory_order_relaxed);
}

} // namespace sartor::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/page_table.h"

#include <new>

#include <sched.h>
#include <sys/mman.h>

namespace sartor::runtime {

PageTable &PageTable::instance() {
  static constinit PageTable table;
  return table;
}

void PageLock::lock() {
  while (!try_lock())
    sched_yield();
}

PageEntry *PageTable::new_entry() {
  Chunk *newest = chunks_.load(std::memory_order_relaxed);
  if (!newest || newest->used == kInChunk) {
    void *memory = base::map_pages(sizeof(Chunk));
    if (!memory)
      return nullptr;
    auto *chunk = new (memory) Chunk;
    chunk->next = newest;
    chunks_.store(chunk, std::memory_order_release);
    newest = chunk;
  }
  return &newest->entries.at(newest->used++);
}

PageEntry *PageTable::find_or_add(std::uintptr_t page) {
  if (PageEntry *known = entries_.find(page))
    return known;
  PageEntry *entry = new_entry();
  if (!entry)
    return nullptr;
  entry->page.store(page, std::memory_order_release);
  return entries_.set(page, entry) ? entry : nullptr;
}

bool PageTable::is_watched() const {
  const auto *watched = watched_.load(std::memory_order_acquire);
  return watched && watched->load(std::memory_order_acquire);
}

void PageTable::set_watched() {
  if (!watched_.load(std::memory_order_relaxed)) {
    void *memory = base::map_pages(sizeof(std::atomic<bool>));
    if (!memory)
      return;
    (void)madvise(memory, sizeof(std::atomic<bool>), MADV_WIPEONFORK);
    watched_.store(new (memory) std::atomic<bool>(false), std::memory_order_release);
  }
  watched_.load(std::memory_order_relaxed)->store(true, std::memory_order_release);
}

} // namespace sartor::runtime

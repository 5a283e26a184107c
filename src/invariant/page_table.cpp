// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/page_table.h"

#include <new>

#include <sched.h>
#include <sys/mman.h>

namespace sartor::invariant {

namespace {

void *map(std::size_t size) {
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

PageTable &PageTable::instance() {
  static constinit PageTable table;
  return table;
}

void PageTable::lock() {
  while (locked_.test_and_set(std::memory_order_acquire))
    sched_yield();
}

PageEntry *PageTable::find(std::uintptr_t page) {
  PageEntry *found = nullptr;
  for_each([&](PageEntry &entry) {
    if (entry.page.load(std::memory_order_relaxed) == page)
      found = &entry;
  });
  return found;
}

PageEntry *PageTable::find_or_add(std::uintptr_t page) {
  if (PageEntry *known = find(page))
    return known;
  Chunk *newest = chunks_.load(std::memory_order_relaxed);
  if (newest)
    for (PageEntry &entry : newest->entries)
      if (entry.page.load(std::memory_order_relaxed) == 0) {
        entry.page.store(page, std::memory_order_release);
        return &entry;
      }
  void *memory = map(sizeof(Chunk));
  if (!memory)
    return nullptr;
  auto *chunk = new (memory) Chunk;
  chunk->next = newest;
  chunk->entries.front().page.store(page, std::memory_order_release);
  chunks_.store(chunk, std::memory_order_release);
  return &chunk->entries.front();
}

bool PageTable::is_watched() const {
  const auto *watched = watched_.load(std::memory_order_acquire);
  return watched && watched->load(std::memory_order_acquire);
}

void PageTable::set_watched() {
  if (!watched_.load(std::memory_order_relaxed)) {
    void *memory = map(sizeof(std::atomic<bool>));
    if (!memory)
      return;
    (void)madvise(memory, sizeof(std::atomic<bool>), MADV_WIPEONFORK);
    watched_.store(new (memory) std::atomic<bool>(false), std::memory_order_release);
  }
  watched_.load(std::memory_order_relaxed)->store(true, std::memory_order_release);
}

} // namespace sartor::invariant

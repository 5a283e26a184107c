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

std::atomic<void *> *PageTable::place_of(std::uintptr_t page, bool grow) {
  if (page >> (kPageBits + 3 * kBits) != 0)
    return nullptr;
  std::atomic<void *> *ways = root_.data();
  for (unsigned shift = kPageBits + 2 * kBits;; shift -= kBits) {
    std::atomic<void *> &way = ways[page >> shift & (kWays - 1)];
    if (shift == kPageBits)
      return &way;
    void *next = way.load(std::memory_order_acquire);
    if (!next && grow) {
      next = map(sizeof(Node)); // zero, which is null everywhere
      way.store(next, std::memory_order_release);
    }
    if (!next)
      return nullptr;
    ways = static_cast<Node *>(next)->ways.data();
  }
}

PageEntry *PageTable::find(std::uintptr_t page) {
  const auto *place = place_of(page, /*grow=*/false);
  return place ? static_cast<PageEntry *>(place->load(std::memory_order_acquire)) : nullptr;
}

PageEntry *PageTable::new_entry() {
  Chunk *newest = chunks_.load(std::memory_order_relaxed);
  if (!newest || newest->used == kInChunk) {
    void *memory = map(sizeof(Chunk));
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
  auto *place = place_of(page, /*grow=*/true);
  if (!place)
    return nullptr;
  if (void *known = place->load(std::memory_order_relaxed))
    return static_cast<PageEntry *>(known);
  PageEntry *entry = new_entry();
  if (!entry)
    return nullptr;
  entry->page.store(page, std::memory_order_release);
  place->store(entry, std::memory_order_release);
  return entry;
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

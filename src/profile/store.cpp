// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/store.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <utility>

#include "profile/counting.h"
#include "profile/word.h"

namespace sartor::profile {

/// A thread's blocks, by slot. Written by the thread itself, and by stores that take blocks away.
struct ThreadTable {
  std::array<std::byte *, Store::kMostStores> blocks{};

  static ThreadTable &mine();
  static void end(void *table);

  [[nodiscard]] std::byte *&block(unsigned slot) { return blocks[slot]; }
};

struct Block {
  explicit Block(std::size_t bytes)
      : memory(static_cast<std::byte *>(std::calloc(1, (bytes + kAlign - 1) + kAlign))) {
    if (!memory)
      throw std::bad_alloc();
    begin = memory + (kAlign - reinterpret_cast<std::uintptr_t>(memory) % kAlign) % kAlign;
  }
  ~Block() { std::free(memory); }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  static constexpr std::size_t kAlign = 64;
  std::byte *memory;
  std::byte *begin;
  ThreadTable *owner = nullptr; ///< Null when its thread has ended.
};

namespace {

/// The stores by slot. The lock is taken before any store's.
struct Registry {
  engine::Mutex mutex;
  std::array<std::atomic<Store *>, Store::kMostStores> stores{};
};

Registry &registry() {
  static auto *instance = new Registry; // threads may end after static objects
  return *instance;
}

void set(std::byte *&entry, std::byte *block) {
  std::atomic_ref(entry).store(block, std::memory_order_release);
}

// The table of threads that have none: they come to record() and get one.
ThreadTable nothing;

// Initial-exec (see CMakeLists.txt): at a fixed distance from the thread pointer.
thread_local ThreadTable *current = &nothing;

pthread_key_t thread_end() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (pthread_key_create(&made, &ThreadTable::end) != 0)
      throw std::bad_alloc();
    return made;
  }();
  return key;
}

} // namespace

// A key's destructor is run again if a handler is called from another key's destructor; that of a
// C++ thread_local object would not be.
ThreadTable &ThreadTable::mine() {
  if (current == &nothing) {
    auto table = std::make_unique<ThreadTable>();
    pthread_setspecific(thread_end(), table.get());
    current = table.release();
  }
  return *current;
}

void ThreadTable::end(void *table) {
  std::unique_ptr<ThreadTable> ended(static_cast<ThreadTable *>(table));
  current = &nothing;
  const std::lock_guard lock(registry().mutex);
  for (const auto &store : registry().stores)
    if (store)
      store.load()->give_back(*ended);
}

Store::Store(Layout layout, unsigned slot) : layout_(std::move(layout)), slot_(slot) {}

Result<std::shared_ptr<Store>> Store::create(Layout layout) {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  for (unsigned slot = 0; slot < kMostStores; ++slot)
    if (!all.stores[slot]) {
      std::shared_ptr<Store> store(new Store(std::move(layout), slot));
      all.stores[slot] = store.get();
      return store;
    }
  return std::unexpected(Failure{ErrorCode::compile_failed, "profile",
                                 "too many runtimes of this process are instrumented",
                                 "destroy runtimes that are not used any more"});
}

Store::~Store() {
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  all.stores[slot_] = nullptr;
  for (const auto &block : blocks_)
    if (block->owner)
      set(block->owner->block(slot_), nullptr);
}

std::byte *Store::acquire() {
  ThreadTable &table = ThreadTable::mine();
  const std::lock_guard lock(mutex_);
  // Who comes here is not counting in a block that was taken away.
  std::erase_if(cleared_, [&](const auto &block) { return block->owner == &table; });
  Block *mine = nullptr;
  for (const auto &block : blocks_)
    if (!block->owner)
      mine = block.get();
  if (!mine) {
    mine = blocks_.emplace_back(std::make_unique<Block>(layout_.bytes())).get();
    // The state that random gaps are drawn from.
    *reinterpret_cast<std::uint64_t *>(mine->begin) = ++blocks_made_ * 0x9e37'79b9'7f4a'7c15;
  }
  mine->owner = &table;
  set(table.block(slot_), mine->begin);
  return mine->begin;
}

void Store::give_back(ThreadTable &table) {
  const std::lock_guard lock(mutex_);
  std::erase_if(cleared_, [&](const auto &block) { return block->owner == &table; });
  for (const auto &block : blocks_)
    if (block->owner == &table)
      block->owner = nullptr;
}

void Store::clear() {
  const std::lock_guard lock(mutex_);
  for (auto &block : std::exchange(blocks_, {}))
    if (block->owner) {
      set(block->owner->block(slot_), nullptr);
      cleared_.push_back(std::move(block));
    }
}

Seen Store::seen(std::size_t index) const {
  Seen seen;
  const Place &place = layout_.places()[index];
  const std::lock_guard lock(mutex_);
  for (const auto &block : blocks_)
    read(place, block->begin, seen);
  merge_entries(place.shape, seen.entries);
  return seen;
}

std::ptrdiff_t table_offset() {
  return reinterpret_cast<const char *>(&current) -
         static_cast<const char *>(__builtin_thread_pointer());
}

void *const *table() { return reinterpret_cast<void *const *>(current->blocks.data()); }

namespace {

constexpr unsigned kSlotShift = 56;
constexpr unsigned kPlaceShift = 32;
constexpr unsigned kPlaceMask = (1U << (kSlotShift - kPlaceShift)) - 1;

} // namespace

std::uint64_t record_id(const Store &store, unsigned place, std::uint32_t every) {
  return std::uint64_t{store.slot()} << kSlotShift | std::uint64_t{place} << kPlaceShift | every;
}

void record(std::uint64_t id, const std::uint64_t *words) noexcept {
  const auto slot = static_cast<unsigned>(id >> kSlotShift);
  const auto every = static_cast<std::uint32_t>(id);
  Store &store = *registry().stores[slot].load(std::memory_order_acquire);
  const Place &place = store.layout().places()[id >> kPlaceShift & kPlaceMask];
  std::byte *block = std::atomic_ref(current->block(slot)).load(std::memory_order_acquire);
  const bool is_new = !block;
  if (is_new)
    block = store.acquire();
  if (every > 1 && !is_due(place, block, every, is_new))
    return;
  count(place, block, words, every);
}

} // namespace sartor::profile

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/store.h"

#include <array>
#include <utility>

#include "base/map_pages.h"
#include "core/profile/counting.h"
#include "core/profile/word.h"

namespace sartor::core {

using base::PerThread;

namespace {

/// The stores by slot, for record().
std::array<std::atomic<Store *>, Store::kMostStores> stores;

// Number of attempts to read a block that is cleared meanwhile.
constexpr int kTries = 4;

} // namespace

// Readers from before it was cleared may still be reading. The first word is the random state of
// the gaps.
void Block::renew() {
  lives_.fetch_add(1);
  auto *words = reinterpret_cast<std::uint64_t *>(memory());
  for (std::size_t i = 1; i < size_ / sizeof *words; ++i)
    if (load(words[i]) != 0) // untouched pages stay untouched
      store_release(words[i], 0);
  cleared.store(false);
}

Result<std::shared_ptr<Store>> Store::create(Layout layout) {
  auto blocks = PerThread<Block>::create();
  if (!blocks)
    return std::unexpected(Failure{ErrorCode::compile_failed, "profile",
                                   "too many runtimes of this process are instrumented",
                                   "destroy runtimes that are not used any more"});
  std::shared_ptr<Store> store(new Store(std::move(layout), std::move(blocks)));
  stores[store->slot()].store(store.get(), std::memory_order_release);
  return store;
}

Store::~Store() { stores[slot()].store(nullptr, std::memory_order_release); }

Block *Store::acquire() {
  const std::size_t size = counters_.layout.bytes();
  const auto idle = [](const Block &block) { return !block.busy; };
  const auto make = [&]() -> Block * {
    void *memory = base::map_pages(sizeof(Block) + size);
    if (!memory)
      return nullptr;
    auto *made = new (memory) Block(size);
    *reinterpret_cast<std::uint64_t *>(made->memory()) = ++blocks_made_ * 0x9e37'79b9'7f4a'7c15;
    return made;
  };
  for (;;) {
    Block *mine = blocks_->acquire(idle, make);
    if (!mine)
      return nullptr;
    mine->busy = false; // the previous owner's work was abandoned
    if (mine->cleared)
      mine->renew();
    blocks_->show(*mine);
    if (!mine->cleared) // otherwise it was cleared before it could be taken away
      return mine;
  }
}

void Store::clear() {
  blocks_->take_all([](Block &block) { block.cleared = true; });
}

Seen Store::seen(std::size_t index) const {
  Seen seen;
  const PointPlace &place = counters_.layout.places()[index];
  blocks_->for_each([&](Block &block) {
    for (int i = 0; i < kTries; ++i) {
      Seen here;
      if (!block.read_if_valid([&] { read(place, block.memory(), here); }))
        continue;
      seen.count += here.count;
      seen.other += here.other;
      seen.error += here.error;
      seen.at_one_moment = seen.at_one_moment && here.at_one_moment;
      seen.entries.insert(seen.entries.end(), here.entries.begin(), here.entries.end());
      return;
    }
  });
  merge_entries(place.shape, seen.entries);
  return seen;
}

void *const *table() { return PerThread<Block>::table(); }

namespace {

constexpr unsigned kSlotShift = 56;
constexpr unsigned kPlaceShift = 32;
constexpr unsigned kPlaceMask = (1U << (kSlotShift - kPlaceShift)) - 1;

} // namespace

std::uint64_t record_id(const Counters &counters, unsigned place, std::uint32_t every) {
  return std::uint64_t{counters.slot} << kSlotShift | std::uint64_t{place} << kPlaceShift | every;
}

void record(std::uint64_t id, const std::uint64_t *words) noexcept {
  const auto every = static_cast<std::uint32_t>(id);
  Store &store = *stores[id >> kSlotShift].load(std::memory_order_acquire);
  const PointPlace &place = store.layout().places()[id >> kPlaceShift & kPlaceMask];
  Block *block = store.blocks_->mine();
  const bool is_new = !block;
  if (is_new)
    block = store.acquire();
  if (!block || block->busy.load(std::memory_order_relaxed))
    return;
  block->busy.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (every <= 1 || is_due(place, block->memory(), every, is_new))
    count(place, block->memory(), words, every);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  block->busy.store(false, std::memory_order_relaxed);
}

} // namespace sartor::core

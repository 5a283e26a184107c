// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/store.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/map_pages.h"
#include "core/profile/sketch.h"
#include "core/profile/word.h"

namespace sartor::core {

using base::PerThread;

namespace {

std::uint64_t *counters(const PointPlace &place, std::byte *block) {
  return reinterpret_cast<std::uint64_t *>(block + place.data);
}

// S. Vigna's splitmix64, whose state is the block's first word.
std::uint64_t random_word(std::byte *block) {
  auto &state = *reinterpret_cast<std::uint64_t *>(block);
  state += 0x9e37'79b9'7f4a'7c15;
  std::uint64_t word = state;
  word = (word ^ word >> 30) * 0xbf58'476d'1ce4'e5b9;
  word = (word ^ word >> 27) * 0x94d0'49bb'1331'11eb;
  return word ^ word >> 31;
}

// Draws the number of calls until one is recorded: uniform up to twice the mean. This is spread
// widely enough for periodic inputs, and needs no logarithm.
std::int64_t draw(const Gap &gap, std::byte *block) {
  const std::uint64_t numbers = 2 * gap.every - 1; // up to 33 bits
  return static_cast<std::int64_t>((random_word(block) >> 33) * numbers >> 31);
}

void merge_extras(const Shape &shape, Entry &into, const Entry &from) {
  if (shape.extras == 0)
    return;
  const auto *mine = into.words.data() + shape.inputs;
  const auto *theirs = from.words.data() + shape.inputs;
  if (std::equal(mine, mine + shape.extras, theirs)) {
    into.extras_known = into.extras_known && from.extras_known;
    return;
  }
  const bool versioned = shape.extras > 1;
  const auto newer = versioned ? static_cast<std::int64_t>(theirs[1] - mine[1]) : 0;
  if (newer > 0) {
    std::copy(theirs, theirs + shape.extras, into.words.begin() + shape.inputs);
    into.extras_known = from.extras_known;
  } else if (newer == 0) {
    into.extras_known = false;
  }
}

/// Counts a record `weight` times in a block. Called by the block's thread.
void count(const PointPlace &place, std::byte *block, const std::uint64_t *words,
           std::uint64_t weight) {
  if (!place.shape.has_counters())
    return Sketch(place.shape, block + place.data).add(words, weight);
  std::uint64_t &counter = counters(place, block)[place.shape.index(*words)];
  store(counter, load(counter) + weight);
}

/// True if a call is to be recorded. Draws the number of calls to skip after it: random with mean
/// `every` - 1, so that no period in the calls coincides with it. `is_new`: the call has not been
/// counted down yet. Called by the block's thread.
bool is_due(const PointPlace &place, std::byte *block, std::uint32_t every, bool is_new) {
  Gap &gap = *reinterpret_cast<Gap *>(block + place.gap(every));
  const bool drawn = gap.every == every;
  if (!drawn) {
    gap.every = every;
    gap.left = draw(gap, block);
  }
  if (is_new || !drawn)
    --gap.left;
  if (gap.left >= 0)
    return false;
  gap.left = draw(gap, block);
  return true;
}

/// Adds the counts of a point of a block. Called by any thread.
void read(const PointPlace &place, std::byte *block, Seen &seen) {
  const Shape &shape = place.shape;
  if (!shape.has_counters())
    return Sketch(shape, block + place.data).read(seen);
  const std::uint64_t mask = shape.bits < 64 ? (1ULL << shape.bits) - 1 : ~0ULL;
  for (std::uint64_t i = 0; i <= shape.counters; ++i) {
    const std::uint64_t counted = load_acquire(counters(place, block)[i]);
    if (counted == 0)
      continue;
    seen.count += counted;
    if (i == shape.counters)
      seen.other += counted;
    else
      seen.entries.push_back({{(shape.low + i) & mask}, counted});
  }
}

/// Merges entries with the same inputs. Of their extras it keeps the latest: those of the highest
/// version, if there is one.
void merge_entries(const Shape &shape, std::vector<Entry> &entries) {
  const auto before = [&](const Entry &a, const Entry &b) {
    return std::lexicographical_compare(a.words.begin(), a.words.begin() + shape.inputs,
                                        b.words.begin(), b.words.begin() + shape.inputs);
  };
  std::ranges::sort(entries, before);
  std::size_t last = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (before(entries[last], entries[i])) {
      entries[++last] = entries[i];
      continue;
    }
    entries[last].count += entries[i].count;
    merge_extras(shape, entries[last], entries[i]);
  }
  if (!entries.empty())
    entries.resize(last + 1);
}

/// The stores by slot, for record().
std::array<std::atomic<Store *>, Store::kMostStores> stores;

// Number of attempts to read a block that is cleared meanwhile.
constexpr int kLoadTries = 4;

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
    for (int i = 0; i < kLoadTries; ++i) {
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/watches.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/pin.h"
#include "base/thread/mutex.h"

namespace sartor::runtime {

namespace {

struct Modules {
  /// The size of a record, and the beginning and end of the watched part in it.
  using Place = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  base::Mutex mutex;
  std::vector<std::pair<const sartor_watch *, const sartor_watch *>> all SARTOR_GUARDED_BY(mutex);
  /// The number of quasi-invariants about it.
  std::map<Place, unsigned> armed SARTOR_GUARDED_BY(mutex);
  /// The same by address, for variables, each of which is an object of its own.
  std::map<std::pair<std::uint64_t, std::uint64_t>, unsigned> armed_memory SARTOR_GUARDED_BY(mutex);
};

Modules &modules() {
  // Never destroyed: constructors of any library add their fields.
  static auto *instance = new Modules;
  return *instance;
}

Modules::Place place_of(const WatchedPart &part) {
  return {part.object.end - part.object.address, part.part.address - part.object.address,
          part.part.end - part.object.address};
}

// A size does not identify a type. The record may be a member or a base of the object, an element
// of it, or contain the object: all offsets at which one of the two contains the other are
// considered.
bool concerns(const sartor_watch &watch, const Modules::Place &place) {
  if (watch.variable)
    return false;
  const auto [size, begin, end] = place;
  const auto spread = static_cast<std::int64_t>(size - watch.record_size);
  const auto offset = static_cast<std::int64_t>(watch.offset);
  const std::int64_t first = std::min<std::int64_t>(0, spread) + offset;
  const std::int64_t last = std::max<std::int64_t>(0, spread) + offset;
  return first < static_cast<std::int64_t>(end) &&
         static_cast<std::int64_t>(begin) < last + static_cast<std::int64_t>(watch.size);
}

/// True if the record is the object, as far as its size shows.
bool is_its_own(const sartor_watch &watch, const WatchedPart &part) {
  const auto [size, begin, end] = place_of(part);
  return !watch.variable && watch.record_size == size && watch.offset < end &&
         begin < watch.offset + watch.size;
}

bool concerns(const sartor_watch &watch, const core::Extent &memory) {
  const auto begin = reinterpret_cast<std::uintptr_t>(watch.variable);
  return watch.variable && begin < memory.end && memory.address < begin + watch.size;
}

bool concerns(const sartor_watch &watch, const WatchedPart &part) {
  return concerns(watch, place_of(part)) || concerns(watch, part.part);
}

// Stores read the flag without a lock.
void set(const sartor_watch &watch, bool armed) {
  __atomic_store_n(watch.armed, armed ? 1 : 0, __ATOMIC_RELAXED);
}

bool is_armed(const Modules &known, const sartor_watch &watch) SARTOR_REQUIRES(known.mutex) {
  if (!watch.variable)
    return std::ranges::any_of(known.armed,
                               [&](const auto &armed) { return concerns(watch, armed.first); });
  return std::ranges::any_of(known.armed_memory, [&](const auto &armed) {
    return concerns(watch, core::Extent{armed.first.first, armed.first.second});
  });
}

/// Returns whether the count becomes zero or ceases to be zero.
template <class Key> bool count(std::map<Key, unsigned> &counts, const Key &key, int by) {
  unsigned &number = counts[key];
  const bool were_any = number > 0;
  number = static_cast<unsigned>(static_cast<int>(number) + by);
  const bool are_any = number > 0;
  if (!are_any)
    counts.erase(key);
  return are_any != were_any;
}

void change(const WatchedPart &part, int by) {
  Modules &known = modules();
  const base::MutexLock lock(known.mutex);
  const bool place_changes = count(known.armed, place_of(part), by);
  const bool memory_changes =
      count(known.armed_memory, std::pair{part.part.address, part.part.end}, by);
  if (!place_changes && !memory_changes)
    return;
  for (const auto &[begin, end] : known.all)
    for (const sartor_watch *watch = begin; watch != end; ++watch)
      if (concerns(*watch, part))
        set(*watch, by > 0 || is_armed(known, *watch));
}

} // namespace

void add_watches(const sartor_watch *begin, const sartor_watch *end) {
  Modules &known = modules();
  const base::MutexLock lock(known.mutex);
  if (std::ranges::any_of(known.all, [&](const auto &other) { return other.first == begin; }))
    return; // already added by the constructor of another file
  base::pin_library_of(begin);
  known.all.emplace_back(begin, end);
  for (const sartor_watch *watch = begin; watch != end; ++watch)
    set(*watch, is_armed(known, *watch));
}

void arm(const WatchedPart &part) { change(part, 1); }
void disarm(const WatchedPart &part) { change(part, -1); }

bool is_watched(const WatchedPart &part) {
  Modules &known = modules();
  const base::MutexLock lock(known.mutex);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> watched; // begin and end addresses
  for (const auto &[first, last] : known.all)
    for (const sartor_watch *watch = first; watch != last; ++watch)
      if (is_its_own(*watch, part) || concerns(*watch, part.part)) {
        const std::uint64_t begin = watch->variable
                                        ? reinterpret_cast<std::uintptr_t>(watch->variable)
                                        : part.object.address + watch->offset;
        watched.emplace_back(begin, begin + watch->size);
      }
  std::ranges::sort(watched);
  std::uint64_t covered = part.part.address;
  for (const auto &[begin, end] : watched)
    if (begin <= covered)
      covered = std::max(covered, end);
  return covered >= part.part.end;
}

} // namespace sartor::runtime

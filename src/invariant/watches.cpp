// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/watches.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "engine/mutex.h"
#include "engine/pin.h"

namespace sartor::invariant {

namespace {

struct Modules {
  /// The size of a record, and what is watched in it.
  using Place = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  engine::Mutex mutex;
  std::vector<std::pair<const sartor_watch *, const sartor_watch *>> all;
  std::map<Place, unsigned> armed; ///< How many facts are about it.
};

Modules &modules() {
  static auto *instance = new Modules; // constructors of any library tell of their fields
  return *instance;
}

Modules::Place place_of(const WatchedPart &part) {
  return {part.object.end - part.object.address, part.part.address - part.object.address,
          part.part.end - part.object.address};
}

bool concerns(const sartor_watch &watch, const Modules::Place &place) {
  const auto [size, begin, end] = place;
  return watch.record_size == size && watch.offset < end && begin < watch.offset + watch.size;
}

// Stores read it without a lock.
void set(const sartor_watch &watch, bool armed) {
  __atomic_store_n(watch.armed, armed ? 1 : 0, __ATOMIC_RELAXED);
}

bool is_armed(const Modules &known, const sartor_watch &watch) {
  return std::ranges::any_of(known.armed,
                             [&](const auto &armed) { return concerns(watch, armed.first); });
}

void change(const WatchedPart &part, int by) {
  Modules &known = modules();
  const std::lock_guard lock(known.mutex);
  const auto place = place_of(part);
  unsigned &count = known.armed[place];
  const bool was_armed = count > 0;
  count = static_cast<unsigned>(static_cast<int>(count) + by);
  const bool armed = count > 0;
  if (!armed)
    known.armed.erase(place);
  if (armed == was_armed)
    return;
  for (const auto &[begin, end] : known.all)
    for (const sartor_watch *watch = begin; watch != end; ++watch)
      if (concerns(*watch, place))
        set(*watch, armed || is_armed(known, *watch));
}

} // namespace

void add_watches(const sartor_watch *begin, const sartor_watch *end) {
  Modules &known = modules();
  const std::lock_guard lock(known.mutex);
  if (std::ranges::any_of(known.all, [&](const auto &other) { return other.first == begin; }))
    return; // by the constructor of another file
  engine::pin_library_of(begin);
  known.all.emplace_back(begin, end);
  for (const sartor_watch *watch = begin; watch != end; ++watch)
    set(*watch, is_armed(known, *watch));
}

void arm(const WatchedPart &part) { change(part, 1); }
void disarm(const WatchedPart &part) { change(part, -1); }

bool is_watched(const WatchedPart &part) {
  Modules &known = modules();
  const std::lock_guard lock(known.mutex);
  const auto [size, begin, end] = place_of(part);
  std::uint64_t covered = begin;
  std::vector<const sartor_watch *> watches;
  for (const auto &[first, last] : known.all)
    for (const sartor_watch *watch = first; watch != last; ++watch)
      if (concerns(*watch, {size, begin, end}))
        watches.push_back(watch);
  std::ranges::sort(watches, {}, &sartor_watch::offset);
  for (const sartor_watch *watch : watches)
    if (watch->offset <= covered)
      covered = std::max(covered, watch->offset + watch->size);
  return covered >= end;
}

} // namespace sartor::invariant

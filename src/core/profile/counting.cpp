// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/counting.h"

#include <algorithm>

#include "core/profile/word.h"

namespace sartor::core {

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
  const std::uint64_t numbers = 2 * gap.every - 1;
  return static_cast<std::int64_t>((random_word(block) >> 32) * numbers >> 32);
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

} // namespace

void count(const PointPlace &place, std::byte *block, const std::uint64_t *words,
           std::uint64_t weight) {
  if (!place.shape.has_counters())
    return Sketch(place.shape, block + place.data).add(words, weight);
  std::uint64_t &counter = counters(place, block)[place.shape.index(*words)];
  store(counter, load(counter) + weight);
}

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

} // namespace sartor::core

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/sketch.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>

#include "profile/word.h"

namespace sartor::profile {

namespace {

constexpr unsigned kSample = 1024;

unsigned next(unsigned index) { return (index + 1) % Sketch::kSlots; }

} // namespace

struct Sketch::Header {
  std::uint64_t sequence; ///< Odd while records are being moved.
  std::uint64_t used;     ///< Slots; one too few if the input that is all zero came by itself.
  std::uint64_t removed;  ///< What purging has subtracted from counts, in total.
  std::uint64_t error;    ///< The sum of the medians.
  std::uint64_t padding[4];
  std::uint64_t sample[kSample]; ///< Here rather than on the stack of whoever is instrumented.
};

/// Readers that meet one of these begin anew.
class Sketch::Change {
public:
  explicit Change(Header &header) : header_(header) { store(header_.sequence, sequence() + 1); }
  ~Change() { store_release(header_.sequence, sequence() + 1); }
  Change(const Change &) = delete;
  Change &operator=(const Change &) = delete;

private:
  [[nodiscard]] std::uint64_t sequence() const { return load(header_.sequence); }
  Header &header_;
};

unsigned Sketch::stride(const Shape &shape) { return std::bit_ceil(shape.words() + 1); }
std::size_t Sketch::slots_offset() { return sizeof(Header); }
std::size_t Sketch::bytes(const Shape &shape) {
  return sizeof(Header) + std::size_t{kSlots} * stride(shape) * sizeof(std::uint64_t);
}

Sketch::Sketch(const Shape &shape, std::byte *memory)
    : inputs_(shape.inputs), words_(shape.words()), stride_(stride(shape)),
      header_(reinterpret_cast<Header *>(memory)),
      slots_(reinterpret_cast<std::uint64_t *>(memory + sizeof(Header))) {}

unsigned Sketch::home(const std::uint64_t *inputs) const {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < inputs_; ++i)
    sum += inputs[i] * kFactors[i];
  return static_cast<unsigned>(sum >> (64 - kSlotBits));
}

void Sketch::add(const std::uint64_t *words, std::uint64_t weight) {
  const unsigned first = home(words);
  unsigned at = first;
  for (; load(count(at)) != 0; at = next(at))
    if (std::equal(words, words + inputs_, slot(at))) {
      store(count(at), load(count(at)) + weight);
      update_extras(at, words);
      bring_home(at, first);
      return;
    }
  for (unsigned i = 0; i < words_; ++i)
    store(slot(at)[i], words[i]);
  store_release(count(at), weight); // a reader that sees the count sees the words
  if (++header_->used > kMostUsed)
    purge();
}

void Sketch::update_extras(unsigned index, const std::uint64_t *words) {
  std::uint64_t *record = slot(index);
  if (std::equal(words + inputs_, words + words_, record + inputs_))
    return;
  const Change change(*header_);
  for (unsigned i = inputs_; i < words_; ++i)
    store_release(record[i], words[i]);
}

// Between a record and its home there is no empty slot, so the two may change places: neither
// becomes unreachable, as the one that moves away from home stays in the same run.
void Sketch::bring_home(unsigned index, unsigned home) {
  if (index == home || load(count(index)) <= load(count(home)))
    return;
  const Change change(*header_);
  for (unsigned i = 0; i <= words_; ++i) {
    const std::uint64_t other = load(slot(home)[i]);
    store_release(slot(home)[i], load(slot(index)[i]));
    store_release(slot(index)[i], other);
  }
}

std::uint64_t Sketch::median() const {
  unsigned sampled = 0;
  for (unsigned i = 0; i < kSlots && sampled < kSample; ++i)
    if (const std::uint64_t count_here = load(count(i)))
      header_->sample[sampled++] = count_here;
  std::uint64_t *middle = header_->sample + sampled / 2;
  std::nth_element(header_->sample, middle, header_->sample + sampled);
  return *middle;
}

void Sketch::purge() {
  const std::uint64_t amount = median();
  std::uint64_t removed = 0;
  std::uint64_t used = 0;
  const Change change(*header_);
  // What remove() moves into a slot may have to go too. It comes from behind and is yet to be
  // looked at, or, at the end of the table, from its beginning and has been kept already.
  for (unsigned i = 0; i < kSlots; ++i)
    while (load(count(i)) != 0 && load(count(i)) <= amount) {
      removed += load(count(i));
      remove(i);
    }
  for (unsigned i = 0; i < kSlots; ++i)
    if (const std::uint64_t kept = load(count(i))) {
      store_release(count(i), kept - amount);
      removed += amount;
      ++used;
    }
  store_release(header_->removed, header_->removed + removed);
  store_release(header_->error, header_->error + amount);
  header_->used = used;
}

// Deletion from a table with linear probing: later records of the run close the gap (D. Knuth, The
// Art of Computer Programming, vol. 3, section 6.4, algorithm R).
void Sketch::remove(unsigned hole) {
  for (unsigned i = next(hole); load(count(i)) != 0; i = next(i)) {
    const unsigned from_home = (i - home(slot(i))) % kSlots;
    const unsigned from_hole = (i - hole) % kSlots;
    if (from_home < from_hole)
      continue; // its home lies behind the hole
    for (unsigned word = 0; word <= words_; ++word)
      store_release(slot(hole)[word], load(slot(i)[word]));
    hole = i;
  }
  for (unsigned word = 0; word <= words_; ++word)
    store_release(slot(hole)[word], 0);
}

void Sketch::copy(Seen &seen) const {
  for (unsigned i = 0; i < kSlots; ++i) {
    const std::uint64_t count_here = load_acquire(count(i));
    if (count_here == 0)
      continue;
    Entry entry;
    entry.count = count_here;
    for (unsigned word = 0; word < words_; ++word)
      entry.words[word] = load_acquire(slot(i)[word]);
    seen.entries.push_back(entry);
    seen.count += count_here;
  }
  const std::uint64_t removed = load_acquire(header_->removed);
  seen.count += removed;
  seen.other += removed;
  seen.error += load_acquire(header_->error);
}

void Sketch::read(Seen &seen) const {
  const Seen before{seen.count, seen.other, seen.error, {}};
  const std::size_t entries = seen.entries.size();
  seen.entries.reserve(entries + kMostUsed);
  for (;;) {
    const std::uint64_t sequence = load_acquire(header_->sequence);
    if (sequence % 2 == 0) {
      copy(seen);
      if (load(header_->sequence) == sequence)
        return;
      seen.count = before.count;
      seen.other = before.other;
      seen.error = before.error;
      seen.entries.resize(entries);
    }
    std::this_thread::yield();
  }
}

} // namespace sartor::profile

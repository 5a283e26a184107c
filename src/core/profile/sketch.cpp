// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/sketch.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>

#include "core/profile/word.h"

namespace sartor::core {

namespace {

constexpr unsigned kSample = 1024;

// Number of attempts to read a sketch at one moment: at first, and after its thread was asked to
// leave records in place as long as possible; and number of attempts per slot.
constexpr int kTries = 2;
constexpr int kTriesAlone = 64;
constexpr int kTriesOfSlot = 4;
// Maximum number of used slots while a sketch is read.
constexpr unsigned kMostWhileRead = Sketch::kSlots / 16 * 15;

unsigned next(unsigned index) { return (index + 1) % Sketch::kSlots; }

} // namespace

struct Sketch::Header {
  std::uint64_t sequence; ///< Odd while records are moved.
  std::uint64_t used;     ///< Slots; one too few if the all-zero input was counted without add().
  std::uint64_t removed;  ///< Total amount that purging has subtracted from counts.
  std::uint64_t error;    ///< The sum of the medians.
  std::uint64_t readers;  ///< Number of readers that request records to stay in place.
  std::uint64_t padding[3];
  std::uint64_t sample[kSample]; ///< Stored here to save stack of the instrumented thread.
};

/// Readers that overlap with a change start again.
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

/// While one exists, the counting thread leaves records in place.
class Sketch::Reader {
public:
  explicit Reader(Header &header) : readers_(header.readers) { ++readers_; }
  ~Reader() { --readers_; }
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;

private:
  std::atomic_ref<std::uint64_t> readers_;
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
  if (++header_->used > (is_being_read() ? kMostWhileRead : kMostUsed))
    purge();
}

void Sketch::update_extras(unsigned index, const std::uint64_t *words) {
  std::uint64_t *record = slot(index);
  if (std::equal(words + inputs_, words + words_, record + inputs_))
    return;
  if (is_being_read()) // the next call will update them
    return;
  const Change change(*header_);
  for (unsigned i = inputs_; i < words_; ++i)
    store_release(record[i], words[i]);
}

// No slot between a record and its home is empty, so the two may be exchanged: both stay reachable,
// because the one that moves away from home stays in the same run.
void Sketch::bring_home(unsigned index, unsigned home) {
  if (index == home || load(count(index)) <= load(count(home)) || is_being_read())
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
  // A record that remove() moves into a slot may have to be removed too. It comes from a later slot
  // that is yet to be checked, or, at the end of the table, from its beginning and was kept
  // already.
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
      continue; // its home is after the hole
    for (unsigned word = 0; word <= words_; ++word)
      store_release(slot(hole)[word], load(slot(i)[word]));
    hole = i;
  }
  for (unsigned word = 0; word <= words_; ++word)
    store_release(slot(hole)[word], 0);
}

bool Sketch::is_being_read() const { return load(header_->readers) != 0; }

void Sketch::copy(unsigned index, Seen &seen) const {
  const std::uint64_t count_here = load_acquire(count(index));
  if (count_here == 0)
    return;
  Entry entry;
  entry.count = count_here;
  for (unsigned word = 0; word < words_; ++word)
    entry.words[word] = load_acquire(slot(index)[word]);
  seen.entries.push_back(entry);
  seen.count += count_here;
}

bool Sketch::read_at_once(Seen &seen) const {
  const std::uint64_t sequence = load_acquire(header_->sequence);
  if (sequence % 2 != 0)
    return false;
  for (unsigned i = 0; i < kSlots; ++i)
    copy(i, seen);
  const std::uint64_t removed = load_acquire(header_->removed);
  seen.count += removed;
  seen.other += removed;
  seen.error += load_acquire(header_->error);
  return load(header_->sequence) == sequence;
}

// Reads a record together with its own extras, or skips it.
void Sketch::read_slot_by_slot(Seen &seen) const {
  for (unsigned i = 0; i < kSlots; ++i) {
    bool taken = false;
    for (int tries = 0; tries < kTriesOfSlot && !taken; ++tries) {
      const std::uint64_t sequence = load_acquire(header_->sequence);
      const std::uint64_t count_before = seen.count;
      const std::size_t entries = seen.entries.size();
      copy(i, seen);
      taken = sequence % 2 == 0 && load(header_->sequence) == sequence;
      if (!taken) {
        seen.count = count_before;
        seen.entries.resize(entries);
      }
    }
    if (!taken) {
      const std::uint64_t moving = load_acquire(count(i));
      seen.count += moving;
      seen.other += moving;
    }
  }
  const std::uint64_t removed = load_acquire(header_->removed);
  seen.count += removed;
  seen.other += removed;
  seen.error += load_acquire(header_->error);
}

void Sketch::read(Seen &seen) const {
  const Seen before{seen.count, seen.other, seen.error, {}, seen.at_one_moment};
  const std::size_t entries = seen.entries.size();
  const auto forget = [&] {
    seen.count = before.count;
    seen.other = before.other;
    seen.error = before.error;
    seen.entries.resize(entries);
  };
  seen.entries.reserve(entries + kMostUsed);
  for (int tries = 0; tries < kTries; ++tries) {
    if (read_at_once(seen))
      return;
    forget();
    std::this_thread::yield();
  }
  const Reader reader(*header_);
  for (int tries = 0; tries < kTriesAlone; ++tries) {
    if (read_at_once(seen))
      return;
    forget();
    std::this_thread::yield();
  }
  read_slot_by_slot(seen);
  seen.at_one_moment = false;
}

} // namespace sartor::core

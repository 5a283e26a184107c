// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_SKETCH_H
#define SARTOR_CORE_PROFILE_SKETCH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/profile/layout.h"

namespace sartor::core {

/// A record of a point, and its count.
struct Entry {
  std::array<std::uint64_t, kMostWords> words{};
  std::uint64_t count = 0;
  /// False if threads disagree about the extras, and the correct ones are unknown.
  bool extras_known = true;
};

/// All records of a point. The true count of an entry is in [count, count + error]; a record that
/// is not listed has occurred at most `error` times.
struct Seen {
  std::uint64_t count = 0; ///< In total.
  std::uint64_t other = 0; ///< Part of `count` that is not in the entries.
  std::uint64_t error = 0;
  std::vector<Entry> entries;
  /// False if records moved all the time: one that moved while it was read is duplicated or
  /// missing, and records that were moving count as `other`.
  bool at_one_moment = true;
};

/// The most frequent inputs of a stream that one thread sees: a hash table with linear probing.
/// Whenever it has become too full, it subtracts the median of its counts from all of them and
/// drops records whose count falls to zero (D. Anderson et al., "A High-Performance Algorithm for
/// Identifying Frequent Items in Data Streams", IMC 2017, section 2). The sum of the subtracted
/// medians bounds the error; it is at most 3.5 / kSlots of the total.
///
/// Resides in zeroed memory, at an address divisible by 64. Instrumented code itself increments the
/// count of a record that is in its home slot with equal extras; add() handles all other cases, and
/// moves frequent records home. An empty slot is all zero, and in its home may also be counted as
/// the input that is all zero. add() may be called only by the thread that owns the sketch; read()
/// may be called by any thread; the two never wait for each other.
class Sketch {
public:
  static constexpr unsigned kSlotBits = 12;
  static constexpr unsigned kSlots = 1U << kSlotBits;
  static constexpr unsigned kMostUsed = kSlots / 4 * 3;
  /// A record's home is the upper kSlotBits of the sum of its inputs times these: odd, random.
  static constexpr std::array<std::uint64_t, kMostInputs> kFactors{
      0x9e37'79b9'7f4a'7c15, 0xd1b5'4a32'd192'ed03, 0xaef1'7502'108e'f2d9, 0xda94'2042'e4dd'58b5};

  /// Distance in words between slots: the words of the record, its count, and padding that keeps a
  /// slot within one cache line.
  static unsigned stride(const Shape &shape);
  static std::size_t slots_offset();
  static std::size_t bytes(const Shape &shape);

  Sketch(const Shape &shape, std::byte *memory);

  void add(const std::uint64_t *words, std::uint64_t weight);
  /// Appends the records and adds to the counts: all from one moment or, if records move all the
  /// time, slot by slot.
  void read(Seen &seen) const;

private:
  struct Header;
  class Change;
  class Reader;

  [[nodiscard]] std::uint64_t *slot(unsigned index) const {
    return slots_ + std::size_t{index} * stride_;
  }
  [[nodiscard]] std::uint64_t &count(unsigned index) const { return slot(index)[words_]; }
  [[nodiscard]] unsigned home(const std::uint64_t *inputs) const;
  /// True if a reader requests that records stay in place.
  [[nodiscard]] bool is_being_read() const;
  void update_extras(unsigned index, const std::uint64_t *words);
  void bring_home(unsigned index, unsigned home);
  void purge();
  void remove(unsigned index);
  [[nodiscard]] std::uint64_t median() const;
  /// Appends the record of a slot.
  void copy(unsigned index, Seen &seen) const;
  bool read_at_once(Seen &seen) const;
  void read_slot_by_slot(Seen &seen) const;

  unsigned inputs_;
  unsigned words_;
  unsigned stride_;
  Header *header_;
  std::uint64_t *slots_;
};

} // namespace sartor::core

#endif

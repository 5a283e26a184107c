// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_LAYOUT_H
#define SARTOR_CORE_PROFILE_LAYOUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sartor::core {

/// Words that one record of a sketch has at most: four inputs, a result, a version.
constexpr unsigned kMostInputs = 4;
constexpr unsigned kMostWords = kMostInputs + 2;
/// Ranges of more values than this are counted by a sketch.
constexpr std::uint64_t kMostCounters = 4096;

/// What is to be counted at a point. A word is a value's bits, zero-extended to 64.
struct Shape {
  unsigned bits = 64;         ///< Of a counted value.
  std::uint64_t low = 0;      ///< The value that the first counter is for.
  std::uint64_t counters = 0; ///< Number of counters, for `low` and what follows; 0: a sketch.
  unsigned inputs = 1;        ///< Of a sketch: words that tell records apart.
  unsigned extras = 0;        ///< Words that go with the inputs: the latest are kept.

  [[nodiscard]] bool has_counters() const { return counters > 0; }
  [[nodiscard]] unsigned words() const { return inputs + extras; }
  /// Which counter is for a value; `counters` for a value that has none.
  [[nodiscard]] std::uint64_t index(std::uint64_t value) const {
    const std::uint64_t mask = bits < 64 ? (1ULL << bits) - 1 : ~0ULL;
    const std::uint64_t distance = (value - low) & mask;
    return distance < counters ? distance : counters;
  }
};

/// How many calls a sampled point lets pass before it records one.
struct Gap {
  std::int64_t left;   ///< Counted down by the instrumented code; below zero, one is recorded.
  std::uint64_t every; ///< The mean distance that `left` was drawn for; 0: never.
};

/// A mean distance has the gap of its number of bits: when instrumentation is replaced, the
/// threads' gaps need not be reset, because what is left in one is of the right size.
constexpr unsigned kGaps = 32;

/// Where a point has its place in each thread's block: offsets in bytes.
struct PointPlace {
  Shape shape;
  std::size_t gaps = 0; ///< kGaps of Gap.
  std::size_t data = 0; ///< The counters (one more than the shape says), or a sketch.

  [[nodiscard]] std::size_t gap(std::uint32_t every) const;
};

/// How a block is laid out: fixed for a runtime's life. A value.
class Layout {
public:
  Layout() = default;
  explicit Layout(const std::vector<Shape> &shapes);

  /// As the shapes came.
  [[nodiscard]] const std::vector<PointPlace> &places() const { return places_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
  std::vector<PointPlace> places_;
  std::size_t bytes_ = 0;
};

/// Where the instrumented points of one runtime are counted: what code that counts is made of. A
/// value.
struct Counters {
  Layout layout;
  unsigned slot = 0; ///< Its number among the stores of the process.
  /// The distance from the thread pointer to a pointer to the thread's table of blocks: an array of
  /// pointers, indexed by slot, null where the thread has no block yet.
  std::ptrdiff_t table = 0;
};

/// What code calls record() (core/profile/store.h) with.
std::uint64_t record_id(const Counters &counters, unsigned place, std::uint32_t every);

} // namespace sartor::core

#endif

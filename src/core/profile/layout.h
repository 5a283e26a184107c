// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_LAYOUT_H
#define SARTOR_CORE_PROFILE_LAYOUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sartor/space.hpp>

namespace sartor::core {

/// Maximum number of words of a sketch's record: four inputs, a result, a version.
constexpr unsigned kMostInputs = 4;
constexpr unsigned kMostWords = kMostInputs + 2;
/// Ranges with more values than this are counted by a sketch.
constexpr std::uint64_t kMostCounters = 4096;

/// Format of the counts of a point. A word has a value's bits, zero-extended to 64.
struct Shape {
  unsigned bits = 64;         ///< Width of a counted value.
  std::uint64_t low = 0;      ///< The value of the first counter.
  std::uint64_t counters = 0; ///< Number of counters, for values from `low` on; 0: a sketch.
  unsigned inputs = 1;        ///< For a sketch: words that distinguish records.
  unsigned extras = 0;        ///< Words stored with the inputs: the latest are kept.

  [[nodiscard]] bool has_counters() const { return counters > 0; }
  [[nodiscard]] unsigned words() const { return inputs + extras; }
  /// The index of a value's counter; `counters` for a value that has none.
  [[nodiscard]] std::uint64_t index(std::uint64_t value) const {
    const std::uint64_t mask = bits < 64 ? (1ULL << bits) - 1 : ~0ULL;
    const std::uint64_t distance = (value - low) & mask;
    return distance < counters ? distance : counters;
  }
};

/// Number of calls that a sampled point skips before it records one.
struct Gap {
  std::int64_t left;   ///< Decremented by the instrumented code; when negative, a call is recorded.
  std::uint64_t every; ///< The mean distance that `left` was drawn for; 0: never.
};

/// The gap of a mean distance is selected by its number of bits: when instrumentation is replaced,
/// the threads' gaps need not be reset, because the value left in one is of the right magnitude.
constexpr unsigned kGaps = 32;

/// Offsets in bytes of a point's data in each thread's block.
struct PointPlace {
  Shape shape;
  std::size_t gaps = 0; ///< kGaps objects of type Gap.
  std::size_t data = 0; ///< The counters (one more than the shape has), or a sketch.

  [[nodiscard]] std::size_t gap(std::uint32_t every) const;
};

/// Layout of a block: fixed for a runtime's life. A value type.
class Layout {
public:
  Layout() = default;
  explicit Layout(const std::vector<Shape> &shapes);

  /// In the order of the shapes.
  [[nodiscard]] const std::vector<PointPlace> &places() const { return places_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
  std::vector<PointPlace> places_;
  std::size_t bytes_ = 0;
};

/// Location of the counts of one runtime's instrumented points, as compiled into counting code. A
/// value type.
struct Counters {
  Layout layout;
  unsigned slot = 0; ///< Index among the stores of the process.
  /// The offset from the thread pointer of a pointer to the thread's table of blocks: an array of
  /// pointers, indexed by slot, null if the thread has no block yet.
  std::ptrdiff_t table = 0;
};

/// The first argument of record() (core/profile/store.h).
std::uint64_t record_id(const Counters &counters, unsigned place, std::uint32_t every);

/// The layout of the points' counts, in the order of the space.
Layout layout_of(const Space &space);

/// The reason why a point cannot be instrumented; empty if it can.
std::string instrument_problem(const Point &point);

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_PART_INDEX_H
#define SARTOR_RUNTIME_ASSUMPTIONS_PART_INDEX_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/request/invariant_memory.h"
#include "runtime/assumptions/extent_index.h"

namespace sartor::runtime {

/// An index of the memory of quasi-invariants, searched at each store: most parts are a field of an
/// object, most stores are small, and most stores to an armed field hit an object that has no
/// quasi-invariant. So parts are found by their cache lines, and a lock-free test says whether a
/// line has any. Only may_concern() is thread-safe.
class PartIndex {
public:
  void add(core::Extent part, std::uint64_t number);
  void remove(core::Extent part, std::uint64_t number);

  /// False only if no part overlaps with this memory. This includes parts whose add() this thread
  /// has seen, directly, or because all threads have made progress since (base::settle()).
  [[nodiscard]] bool may_concern(core::Extent memory) const;

  /// Visits the numbers of the parts that overlap with this memory; some more than once.
  template <class Visit> void for_each_overlapping(core::Extent memory, Visit visit) const {
    const auto look_at = [&](const std::vector<Part> &parts) {
      for (const Part &part : parts)
        if (part.extent.address < memory.end && memory.address < part.extent.end)
          visit(part.number);
    };
    if (lines_of(memory) > lines_.size())
      for (const auto &[line, parts] : lines_)
        look_at(parts);
    else
      for (std::uintptr_t line = first_line(memory); line <= last_line(memory); ++line)
        if (auto parts = lines_.find(line); parts != lines_.end())
          look_at(parts->second);
    large_.for_each_overlapping(memory, visit);
  }

private:
  struct Part {
    core::Extent extent;
    std::uint64_t number;
  };

  static constexpr unsigned kLineBits = 6;
  /// The maximum size of a part that is found by its cache lines.
  static constexpr std::size_t kMostLines = 16;
  static constexpr std::size_t kCounters = 4096;

  static std::uintptr_t first_line(core::Extent extent) { return extent.address >> kLineBits; }
  static std::uintptr_t last_line(core::Extent extent) { return (extent.end - 1) >> kLineBits; }
  static std::size_t lines_of(core::Extent extent) {
    return last_line(extent) - first_line(extent) + 1;
  }
  static std::size_t counter_of(std::uintptr_t line) { return (line ^ line >> 12U) % kCounters; }

  std::unordered_map<std::uintptr_t, std::vector<Part>> lines_;
  ExtentIndex large_;
  /// The number of parts in the lines of each hash.
  std::array<std::atomic<std::uint32_t>, kCounters> counts_{};
  std::atomic<std::size_t> large_count_ = 0;
};

} // namespace sartor::runtime

#endif

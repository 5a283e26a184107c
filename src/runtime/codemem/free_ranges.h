// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_FREE_RANGES_H
#define SARTOR_RUNTIME_CODEMEM_FREE_RANGES_H

#include <cstddef>
#include <map>
#include <new>
#include <optional>

namespace sartor::runtime {

/// The free parts of a range of memory, by offset in bytes. take() uses the lowest free part that
/// is large enough, so that pages at the end stay untouched.
class FreeRanges {
public:
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  FreeRanges(std::size_t begin, std::size_t end) : all_{begin, end} { ranges_.emplace(begin, end); }

  /// Takes this many bytes, which must not be zero, and returns their offset; `alignment` is a
  /// power of two.
  std::optional<std::size_t> take(std::size_t bytes, std::size_t alignment) {
    for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
      const std::size_t begin = (range->first + alignment - 1) & ~(alignment - 1);
      const std::size_t end = range->second;
      if (begin >= end || end - begin < bytes)
        continue;
      if (begin + bytes < end)
        ranges_.emplace(begin + bytes, end);
      if (begin == range->first)
        ranges_.erase(range);
      else
        range->second = begin;
      return begin;
    }
    return std::nullopt;
  }

  /// Releases what was taken, and returns the free range that it is now a part of. If memory for
  /// the record is exhausted, the bytes stay taken and the result is empty: the caller could not
  /// handle such an error.
  Range release(std::size_t begin, std::size_t bytes) noexcept {
    try {
      return add(begin, begin + bytes);
    } catch (const std::bad_alloc &) {
      return {begin, begin};
    }
  }

  [[nodiscard]] bool all_free() const {
    return ranges_.size() == 1 && ranges_.begin()->first == all_.begin &&
           ranges_.begin()->second == all_.end;
  }

private:
  Range add(std::size_t begin, std::size_t end) {
    auto next = ranges_.lower_bound(begin);
    if (next != ranges_.end() && next->first == end) {
      end = next->second;
      next = ranges_.erase(next);
    }
    if (next != ranges_.begin())
      if (const auto before = std::prev(next); before->second == begin) {
        before->second = end;
        return {before->first, end};
      }
    ranges_.emplace(begin, end);
    return {begin, end};
  }

  Range all_;
  std::map<std::size_t, std::size_t> ranges_; ///< End by begin; no two ranges are adjacent.
};

} // namespace sartor::runtime

#endif

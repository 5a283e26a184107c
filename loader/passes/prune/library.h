// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_LIBRARY_H
#define SARTOR_LOADER_PASSES_PRUNE_LIBRARY_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/loader/pass.h>

#include "loader/lib/file/code_range.h"

namespace sartor::prune {

using Range = loader::CodeRange;

struct Segment {
  Range range; ///< Range of the content in the file.
  bool is_writable;
  bool is_executable;
  std::vector<std::byte> bytes;
};

/// A library as a pass sees it, completely read.
class Library {
public:
  /// Reads a library; returns nothing if it cannot be analyzed.
  static std::optional<Library> read(const sartor_prelink_image *image,
                                     const sartor_prelink_operations &operations,
                                     std::size_t index);

  [[nodiscard]] const sartor_library &about() const { return about_; }
  [[nodiscard]] const std::vector<Segment> &segments() const { return segments_; }
  [[nodiscard]] const std::vector<sartor_library_symbol> &symbols() const { return symbols_; }
  [[nodiscard]] const std::vector<sartor_relocation> &relocations() const { return relocations_; }
  [[nodiscard]] const std::vector<sartor_call_site> &call_sites() const { return call_sites_; }
  /// Returns the functions, sorted and without overlaps.
  [[nodiscard]] const std::vector<Range> &functions() const { return functions_; }
  /// Returns the executable ranges outside of functions.
  [[nodiscard]] const std::vector<Range> &gaps() const { return gaps_; }
  /// Returns the address of the unwinders' search table.
  [[nodiscard]] std::optional<std::uint64_t> unwind_table() const { return unwind_table_; }
  /// Returns an entry of the dynamic section, by DT_....
  [[nodiscard]] std::optional<std::uint64_t> tag(std::int64_t which) const { return tag_(which); }

  /// Returns the index of the function that contains an address.
  [[nodiscard]] std::optional<std::size_t> function_at(std::uint64_t address) const;
  [[nodiscard]] const Segment *segment_at(std::uint64_t address) const;
  [[nodiscard]] bool is_executable(std::uint64_t address) const {
    const Segment *segment = segment_at(address);
    return segment != nullptr && segment->is_executable;
  }
  /// Returns the bytes from an address to the segment's end.
  [[nodiscard]] std::span<const std::byte> from(std::uint64_t address) const;

private:
  sartor_library about_{};
  std::vector<Segment> segments_;
  std::vector<sartor_library_symbol> symbols_;
  std::vector<sartor_relocation> relocations_;
  std::vector<sartor_call_site> call_sites_;
  std::vector<Range> functions_;
  std::vector<Range> gaps_;
  std::optional<std::uint64_t> unwind_table_;
  std::function<std::optional<std::uint64_t>(std::int64_t)> tag_;
};

} // namespace sartor::prune

#endif

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

#include <sartor/pass.h>

#include "loader/lib/file/code_range.h"

namespace sartor::prune {

using Range = loader::CodeRange;

struct Segment {
  Range range; ///< Of what the file has.
  bool is_writable;
  bool is_executable;
  std::vector<std::byte> bytes;
};

/// A library as a pass sees it, all read at once.
class Library {
public:
  /// Nothing if it cannot be looked at.
  static std::optional<Library> read(const sartor_image *image,
                                     const sartor_image_operations &operations, std::size_t index);

  [[nodiscard]] const sartor_library &about() const { return about_; }
  [[nodiscard]] const std::vector<Segment> &segments() const { return segments_; }
  [[nodiscard]] const std::vector<sartor_library_symbol> &symbols() const { return symbols_; }
  [[nodiscard]] const std::vector<sartor_relocation> &relocations() const { return relocations_; }
  [[nodiscard]] const std::vector<sartor_call_site> &call_sites() const { return call_sites_; }
  /// In order, without overlaps.
  [[nodiscard]] const std::vector<Range> &functions() const { return functions_; }
  /// What is executable and in no function.
  [[nodiscard]] const std::vector<Range> &gaps() const { return gaps_; }
  /// Where unwinders begin to look.
  [[nodiscard]] std::optional<std::uint64_t> unwind_table() const { return unwind_table_; }
  /// An entry of the dynamic section, by DT_....
  [[nodiscard]] std::optional<std::uint64_t> tag(std::int64_t which) const { return tag_(which); }

  /// Which function an address is in.
  [[nodiscard]] std::optional<std::size_t> function_at(std::uint64_t address) const;
  [[nodiscard]] const Segment *segment_at(std::uint64_t address) const;
  [[nodiscard]] bool is_executable(std::uint64_t address) const {
    const Segment *segment = segment_at(address);
    return segment != nullptr && segment->is_executable;
  }
  /// The bytes from an address on to the segment's end.
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

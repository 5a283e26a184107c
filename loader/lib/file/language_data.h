// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_LANGUAGE_DATA_H
#define SARTOR_LOADER_LIB_FILE_LANGUAGE_DATA_H

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "loader/lib/file/unwind_frames.h"

namespace sartor::loader::unwind {

/// The exception tables of one function.
class LanguageData {
public:
  /// Throws CutOff.
  LanguageData(const Bytes &bytes, const Frame &frame);

  /// Returns the types that the function's calls may catch. Throws CutOff.
  [[nodiscard]] std::vector<Pointer> types() const;
  /// Returns the addresses at which the function continues after a catch.
  [[nodiscard]] const std::vector<std::uint64_t> &landing_pads() const { return landing_pads_; }
  /// True if landing pads are distances from the function's begin.
  [[nodiscard]] bool counts_from_function() const { return counts_from_function_; }
  /// Returns the range of the tables.
  [[nodiscard]] CodeRange place() const { return place_; }

private:
  [[nodiscard]] Cursor cursor(std::uint64_t address) const { return {bytes_(address), address}; }
  [[nodiscard]] std::uint64_t size_of_pointer() const;
  void follow(std::uint64_t action);
  void add_specification(std::uint64_t address);
  void reach(const Cursor &at) { place_.end = std::max(place_.end, at.address()); }

  const Bytes &bytes_;
  CodeRange place_;
  unsigned type_encoding_ = omitted;
  bool counts_from_function_ = true;
  std::uint64_t types_ = 0; ///< End of the table of types, which is indexed backwards.
  std::vector<std::uint64_t> landing_pads_;
  std::set<std::uint64_t> seen_, indices_;
};

} // namespace sartor::loader::unwind

#endif

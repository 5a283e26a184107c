// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_HOT_FUNCTIONS_H
#define SARTOR_LOADER_PASSES_HOT_FUNCTIONS_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sartor/loader/pass.h>

#include "loader/lib/profile/profile.h"

namespace sartor::hot {

/// A function of a program, by the indices of its library and in it.
struct Function {
  std::size_t library;
  std::size_t index;

  auto operator<=>(const Function &) const = default;
};

/// A library of a program.
struct Library {
  sartor_library about{};
  std::vector<sartor_function> functions; ///< Sorted, without overlaps.

  /// Returns the index of the function that contains an address.
  [[nodiscard]] std::optional<std::size_t> function_at(std::uint64_t address) const;
};

/// A program's functions that a profile names.
class ProfiledFunctions {
public:
  ProfiledFunctions(const sartor_prelink_image *image, const sartor_prelink_operations &operations,
                    const loader::Profile &profile);

  [[nodiscard]] const std::vector<Library> &libraries() const { return libraries_; }
  [[nodiscard]] const sartor_function &at(const Function &function) const {
    return libraries_[function.library].functions[function.index];
  }
  [[nodiscard]] const std::map<Function, std::uint64_t> &counts() const { return counts_; }
  /// Returns the counts of calls, by caller and callee.
  [[nodiscard]] const std::map<std::pair<Function, Function>, std::uint64_t> &calls() const {
    return calls_;
  }
  /// Returns the number of places in each library that are in no function.
  [[nodiscard]] const std::map<std::size_t, std::size_t> &elsewhere() const { return elsewhere_; }
  /// Returns the indices of libraries of which the profile has another version only.
  [[nodiscard]] const std::vector<std::size_t> &other_versions() const { return other_versions_; }

private:
  [[nodiscard]] std::optional<std::size_t> library_of(const std::string &build_id) const;
  [[nodiscard]] std::optional<Function> find(const loader::ProfiledPlace &place) const;
  void find_other_versions(const loader::Profile &profile);

  std::vector<Library> libraries_;
  std::map<Function, std::uint64_t> counts_;
  std::map<std::pair<Function, Function>, std::uint64_t> calls_;
  std::map<std::size_t, std::size_t> elsewhere_;
  std::vector<std::size_t> other_versions_;
};

} // namespace sartor::hot

#endif

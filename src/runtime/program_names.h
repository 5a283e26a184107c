// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_PROGRAM_NAMES_H
#define SARTOR_RUNTIME_PROGRAM_NAMES_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sartor/bound_argument.hpp>

namespace sartor::runtime {

/// The name of a program that a handler interprets, while it exists: the names of variants then
/// show it in place of the bound arguments, which are addresses. Thread-safe.
class ProgramName {
public:
  /// An empty name is none.
  ProgramName(const std::map<unsigned, BoundArgument> &arguments, std::string name);
  ~ProgramName();
  ProgramName(const ProgramName &) = delete;
  ProgramName &operator=(const ProgramName &) = delete;

  /// Empty if the arguments have no name.
  static std::string of(const std::map<unsigned, BoundArgument> &arguments);

  /// Names of one key are in the order of their programs.
  using Names = std::multimap<std::vector<std::uint64_t>, std::string>;

private:
  std::optional<Names::iterator> place_;
};

} // namespace sartor::runtime

#endif

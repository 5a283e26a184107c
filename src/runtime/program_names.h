// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_PROGRAM_NAMES_H
#define SARTOR_RUNTIME_PROGRAM_NAMES_H

#include <map>
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

private:
  const std::vector<std::uint64_t> key_;
  const bool is_named_;
};

} // namespace sartor::runtime

#endif

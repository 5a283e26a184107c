// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_PASS_LIMIT_H
#define SARTOR_CORE_COMPILER_PASS_LIMIT_H

#include <cstdint>
#include <string>

namespace sartor::core {

/// Limits the optional passes of one compilation, as LLVM's -opt-bisect-limit does, and records the
/// last one that runs.
struct PassLimit {
  std::uint64_t most = 0;
  bool wants_code = false;
  std::string instead = {}; ///< IR that is compiled in place of the module, if not empty.

  std::uint64_t asked = 0;   ///< The number of optional passes, with those that did not run.
  std::string pass = {};     ///< The last one that ran, by its name in pipelines if it has one.
  std::string function = {}; ///< The function, loop or module that it ran on.
  std::string before = {};   ///< The module's IR before it, if `wants_code` is set.
  std::string after = {};
};

} // namespace sartor::core

#endif

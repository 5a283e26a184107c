// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_KERNEL_WORD_H
#define SARTOR_TOOLS_CLI_KERNEL_WORD_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <sartor/configuration.hpp>
#include <sartor/error.hpp>

#include "tools/cli/map_dump.h"

namespace sartor::cli {

/// The kernel's counts for a program of a handler.
struct KernelCounts {
  std::uint64_t verified = 0;     ///< The number of instructions that the verifier has visited.
  std::uint64_t native_bytes = 0; ///< The size of the machine code.
};

/// The report of this machine's kernel on the handlers in an object.
struct KernelWord {
  std::map<std::string, KernelCounts, std::less<>> generic; ///< Keyed by handler.
  std::map<std::string, KernelCounts, std::less<>> variant; ///< Empty if no setting is given.
  std::string not_reported; ///< The reason why the report is incomplete; empty if it is complete.
  std::optional<Failure> refused; ///< The verifier's refusal.
};

/// Loads an object, and variants of it under a configuration and with invariant maps, temporarily.
/// They are not attached.
KernelWord ask_kernel(const std::string &object, const Configuration &configuration,
                      const KernelMaps &maps);

} // namespace sartor::cli

#endif

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

/// What a kernel counts in a program of a handler's.
struct KernelCounts {
  std::uint64_t verified = 0;     ///< Instructions that the verifier has walked through.
  std::uint64_t native_bytes = 0; ///< Of machine code.
};

/// What this machine's kernel says of the handlers in an object.
struct KernelWord {
  std::map<std::string, KernelCounts, std::less<>> generic; ///< By handler.
  std::map<std::string, KernelCounts, std::less<>> variant; ///< Empty where nothing is set.
  std::string not_told;           ///< Why it has not said all of that; empty where it has.
  std::optional<Failure> refused; ///< What its verifier has refused.
};

/// Loads an object, and variants of it under a configuration and with content of maps promised, for
/// a moment. They are attached to nothing.
KernelWord ask_kernel(const std::string &object, const Configuration &configuration,
                      const KernelMaps &maps);

} // namespace sartor::cli

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_START_H
#define MATMUL_START_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "process.h"

namespace matmul {

/// Waits; throws Interrupted once interrupt() was called.
void rest(std::chrono::milliseconds time);

struct Interrupted {
  int signal;
};

/// May be called by a signal handler.
void interrupt(int signal);

/// A matrix server that listens.
struct StartedServer {
  /// The one that lies beside this program; what it says goes to a file `output`. Throws
  /// std::runtime_error.
  StartedServer(const std::vector<std::string> &options, const std::filesystem::path &output);

  Process process;
  const std::string port;
};

/// The load generator that lies beside this program, asking for products of these sizes, one after
/// the other, `seconds` each; its report goes to `output`.
Process start_load(const std::string &port, double seconds, const std::vector<std::uint64_t> &sizes,
                   bool self_check, const std::filesystem::path &output);

} // namespace matmul

#endif

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

/// Waits; throws Interrupted after interrupt() was called.
void rest(std::chrono::milliseconds time);

struct Interrupted {
  int signal;
};

/// May be called by a signal handler.
void interrupt(int signal);

/// A matrix server that is listening.
struct StartedServer {
  /// Starts the server in this program's folder; its output goes to a file `output`. Throws
  /// std::runtime_error.
  StartedServer(const std::vector<std::string> &options, const std::filesystem::path &output);

  Process process;
  const std::string port;
};

/// Starts the load generator in this program's folder, which requests products of these sizes one
/// after the other for `seconds` each; its report goes to `output`.
Process start_load(const std::string &port, double seconds, const std::vector<std::uint64_t> &sizes,
                   bool self_check, const std::filesystem::path &output);

} // namespace matmul

#endif

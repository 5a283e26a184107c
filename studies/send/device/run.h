// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_DEVICE_RUN_H
#define SEND_DEVICE_RUN_H

#include <cstdint>
#include <string>
#include <vector>

#include "../../../test/server/server_process.h"

namespace sartor::send {

/// The parsed output of an emulated device (program.cpp).
struct DeviceRun {
  struct Time {
    std::string name;
    double generic = 0; ///< Nanoseconds per message, in emulation.
    double specialized = 0;
  };

  int status = -1;  ///< The status from waitpid().
  std::string seen; ///< Frames on the wire, and results.
  std::uint64_t calls = 0;
  std::uint64_t by_variants = 0;
  std::uint64_t code_bytes = 0; ///< Code size of all variants at the end.
  std::uint64_t requests = 0;
  double last_request_milliseconds = 0;
  std::uint64_t pages = 0; ///< Memory pages that the server has requested.
  std::vector<Time> times;
};

/// The architectures for which programs were built: aarch64, armv7.
std::vector<std::string> device_architectures();

/// The options of a server that knows these devices, and one client.
std::vector<std::string> device_server_options();

/// Runs a device of that architecture with code from the server, or, if that is null, without.
/// Throws std::runtime_error if it cannot be run.
DeviceRun run_device(const std::string &architecture, std::uint64_t seed, std::size_t steps,
                     const ServerProcess *server);

} // namespace sartor::send

#endif

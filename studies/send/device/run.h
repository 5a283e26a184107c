// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_DEVICE_RUN_H
#define SEND_DEVICE_RUN_H

#include <cstdint>
#include <string>
#include <vector>

#include "../../../test/server/server_process.h"

namespace sartor::send {

/// What a device in emulation has told (program.cpp).
struct DeviceRun {
  struct Time {
    std::string name;
    double generic = 0; ///< Nanoseconds a message, in emulation.
    double specialized = 0;
  };

  int status = -1;  ///< As waitpid() has it.
  std::string seen; ///< What went over the wire, and results.
  std::uint64_t calls = 0;
  std::uint64_t by_variants = 0;
  std::uint64_t code_bytes = 0; ///< Of variants at the end.
  std::uint64_t requests = 0;
  double last_request_milliseconds = 0;
  std::uint64_t pages = 0; ///< Of memory, that the server has asked for.
  std::vector<Time> times;
};

/// Those that programs were made for: aarch64, armv7.
std::vector<std::string> device_architectures();

/// A server that knows these devices, and one client.
std::vector<std::string> device_server_options();

/// Runs a device of that architecture: with code from the server, or, if that is null, without.
/// Throws std::runtime_error if it cannot be run.
DeviceRun run_device(const std::string &architecture, std::uint64_t seed, std::size_t steps,
                     const ServerProcess *server);

} // namespace sartor::send

#endif

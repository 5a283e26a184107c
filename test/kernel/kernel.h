// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_KERNEL_H
#define SARTOR_TEST_KERNEL_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sartor/bpf/runtime.hpp>

#include "handlers/packet.h"

namespace sartor::test {

/// Tests that load programs into the kernel, where this process may. Each is in namespaces of its
/// own: interfaces, and pins in pins(), disappear with the process, however it ends.
class Kernel : public testing::Test {
protected:
  void SetUp() override;

  /// A directory for pins, in a bpffs.
  static std::filesystem::path pins();
  /// Runs a shell command line; returns its status.
  static int command(const std::string &line);
  /// Makes a pair of interfaces.
  static void make_interfaces(const std::string &one, const std::string &other);
};

/// The verdict of a program and the packet afterwards.
struct Outcome {
  std::uint32_t verdict = 0;
  std::string bytes;
  bool operator==(const Outcome &) const = default;
};
Outcome run(int program, const std::string &bytes);
std::string bytes_of(const Packet &packet);
Packet packet_in(const Outcome &outcome);

/// True if the kernel has no program with that id; waits a little for it to disappear.
bool is_gone(std::uint32_t program);

/// The program at an interface's XDP hook; 0 if there is none.
std::uint32_t program_at(const std::string &interface);

std::uint64_t element(int map, std::uint32_t key);

/// The error that a function throws.
Error error_of(const auto &function) {
  try {
    function();
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(Failure{});
}
ErrorCode code_of(const auto &function) { return error_of(function).code(); }

} // namespace sartor::test

#endif

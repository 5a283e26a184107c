// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_KERNEL_H
#define SARTOR_TEST_KERNEL_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sartor/bpf_runtime.hpp>

#include "handlers/packet.h"

namespace sartor::test {

/// Tests that load programs into the kernel, where this process may. Each is in namespaces of its
/// own: interfaces, and what is pinned in pins(), go with the process, however it ends.
class Kernel : public testing::Test {
protected:
  void SetUp() override;

  /// In a bpffs.
  static std::filesystem::path pins();
  /// Of the shell's.
  static int command(const std::string &line);
  /// Makes a pair of interfaces.
  static void make_interfaces(const std::string &one, const std::string &other);
};

/// What a program has made of a packet.
struct Outcome {
  std::uint32_t verdict = 0;
  std::string bytes;
  bool operator==(const Outcome &) const = default;
};
Outcome run(int program, const std::string &bytes);
std::string bytes_of(const Packet &packet);
Packet packet_in(const Outcome &outcome);

/// Whether the kernel has a program of that number; waits a little for it to go.
bool is_gone(std::uint32_t program);

/// The program at an interface's XDP hook; 0: none.
std::uint32_t program_at(const std::string &interface);

std::uint64_t element(int map, std::uint32_t key);

/// What a function throws.
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

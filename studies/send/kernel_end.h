// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_KERNEL_END_H
#define SEND_KERNEL_END_H

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace sartor::send {

/// Kernel sockets at the other end of a tap device. Separate from lwIP, which has the same names.
class KernelEnd {
public:
  static constexpr std::uint16_t port = 9009;
  static constexpr const char *address = "10.9.0.1";

  /// Moves this process into a new network namespace, which ends with the process, and creates a
  /// tap device there. Throws std::runtime_error with the missing permission if that is not
  /// allowed. The threads run until the process ends.
  KernelEnd();

  /// The tap device: frames, one at a time.
  [[nodiscard]] int descriptor() const noexcept { return tap_; }
  /// Bytes that the kernel's sockets have received.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

private:
  void receive_datagrams(int socket);
  void receive_streams(int socket);

  int tap_ = -1;
  std::atomic<std::uint64_t> received_ = 0;
};

} // namespace sartor::send

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_KERNEL_END_H
#define SEND_KERNEL_END_H

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace sartor::send {

/// Sockets of the kernel's at the other end of a tap device. Knows nothing of lwIP, whose names are
/// the same.
class KernelEnd {
public:
  static constexpr std::uint16_t port = 9009;
  static constexpr const char *address = "10.9.0.1";

  /// Moves this process into a network namespace of its own, which goes when the process does, and
  /// makes a tap device there. Throws std::runtime_error, which says what is missing, if that is
  /// not allowed. The threads run until the process ends.
  KernelEnd();

  /// Of the tap device: frames, one at a time.
  [[nodiscard]] int descriptor() const noexcept { return tap_; }
  /// Bytes that have come to the kernel's sockets.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }

private:
  void receive_datagrams(int socket);
  void receive_streams(int socket);

  int tap_ = -1;
  std::atomic<std::uint64_t> received_ = 0;
};

} // namespace sartor::send

#endif

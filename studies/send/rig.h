// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_RIG_H
#define SEND_RIG_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peer.h"
#include "sender.h"

namespace sartor::send {

/// The generic and the specialized path of one message from the socket call down to a driver that
/// drops it.
struct Path {
  std::string name; ///< Such as udp64.
  std::size_t size;
  std::function<void()> generic; ///< Sends kMessages messages one after the other.
  std::function<void()> specialized;
  std::function<void()> prepare;     ///< For either path: acknowledges the sent data.
  std::size_t specialized_bytes = 0; ///< Code size of the specialized path.
};

/// A violation of a quasi-invariant and its consequences.
struct Disturbance {
  std::string what;
  std::uint64_t broken = 0;
  std::uint64_t refused = 0;
  double writer_microseconds = 0; ///< How long the writer has waited.
  double back_milliseconds = 0;   ///< Until all quasi-invariants are used again.
};

/// A host with sockets whose messages go to a driver that drops them: datagrams of some sizes, each
/// on a socket of its own, and a stream in whole segments. lwIP's clock is stopped. Starts lwIP:
/// once per process.
class Rig {
public:
  static constexpr std::size_t messages = 8; ///< Messages in each call of a path.

  /// Writes into `folder`. Throws std::runtime_error if the specialized code is not compiled or has
  /// no write guards.
  Rig(const std::filesystem::path &folder, const std::vector<std::size_t> &datagram_sizes);
  [[nodiscard]] const std::vector<Path> &paths() const noexcept { return paths_; }
  [[nodiscard]] int socket(std::size_t path) const { return sockets_.at(path); }

  /// Violates quasi-invariants of the last datagram socket and of the stream, or attempts refused
  /// writes, one after the other.
  std::vector<Disturbance> disturb();

private:
  void add(const std::string &name, int socket, std::size_t size);
  Disturbance disturb(const std::string &what, Sender &sender, const std::function<void()> &how);

  Wire wire_{};
  Peer peer_{wire_, nullptr};
  std::array<std::uint8_t, 1460> data_{};
  std::unique_ptr<QuasiInvariant> route_;
  std::filesystem::path log_; ///< The event log of compilations.
  std::unique_ptr<Runtime> runtime_;
  std::vector<std::unique_ptr<Sender>> senders_;
  std::vector<int> sockets_; ///< The senders' sockets.
  std::vector<Path> paths_;
};

} // namespace sartor::send

#endif

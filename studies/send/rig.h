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

/// The two ways of one message from the socket call down to a driver that drops it.
struct Path {
  std::string name; ///< udp64
  std::size_t size;
  std::function<void()> generic; ///< kMessages of them, one after the other.
  std::function<void()> specialized;
  std::function<void()> prepare;     ///< For either: acknowledges what has been sent.
  std::size_t specialized_bytes = 0; ///< Of the code of the second.
};

/// What somebody does to a fact, and what becomes of it.
struct Disturbance {
  std::string what;
  std::uint64_t broken = 0;
  std::uint64_t refused = 0;
  double writer_microseconds = 0; ///< That the writer has waited for.
  double back_milliseconds = 0;   ///< Until code that leans on all facts is in force again.
};

/// A host with sockets whose messages go to a driver that drops them: datagrams of some sizes, each
/// on a socket of its own, and a stream in whole segments. lwIP's clock stands. Starts lwIP: once
/// in a process.
class Rig {
public:
  static constexpr std::size_t messages = 8; ///< Of a path, each time.

  /// Writes into `folder`. Throws std::runtime_error if code that is specialized does not come to
  /// be, or is not guarded.
  Rig(const std::filesystem::path &folder, const std::vector<std::size_t> &datagram_sizes);
  [[nodiscard]] const std::vector<Path> &paths() const noexcept { return paths_; }
  [[nodiscard]] int socket(std::size_t path) const { return sockets_.at(path); }

  /// Has facts of the last of the datagrams' sockets, and of the stream's, broken, or refused to
  /// be, one after the other.
  std::vector<Disturbance> disturb();

private:
  void add(const std::string &name, int socket, std::size_t size);
  Disturbance disturb(const std::string &what, Sender &sender, const std::function<void()> &how);

  Wire wire_{};
  Peer peer_{wire_, nullptr};
  std::array<std::uint8_t, 1460> data_{};
  std::unique_ptr<QuasiInvariant> route_;
  std::filesystem::path log_; ///< What becomes of compiles.
  std::unique_ptr<Runtime> runtime_;
  std::vector<std::unique_ptr<Sender>> senders_;
  std::vector<int> sockets_; ///< Of these.
  std::vector<Path> paths_;
};

} // namespace sartor::send

#endif

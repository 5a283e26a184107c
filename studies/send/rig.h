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
  std::function<void()> prepare;    ///< For either: acknowledges what has been sent.
  std::size_t specialized_bytes = 0; ///< Of the code of the second.
};

/// A host with sockets whose messages go to a driver that drops them: datagrams of 64 and 1,024
/// bytes, a stream in whole segments. lwIP's clock stands. Starts lwIP: once in a process.
class Rig {
public:
  static constexpr std::size_t messages = 8; ///< Of a path, each time.

  /// Writes into `folder`. Throws std::runtime_error if code that is specialized does not come to be,
  /// or is not guarded.
  explicit Rig(const std::filesystem::path &folder);
  [[nodiscard]] const std::vector<Path> &paths() const noexcept { return paths_; }

private:
  void add(const std::string &name, int socket, std::size_t size);

  wire wire_{};
  Peer peer_{wire_, nullptr};
  std::array<std::uint8_t, 1460> data_{};
  std::unique_ptr<QuasiInvariant> route_;
  std::filesystem::path log_; ///< What becomes of compiles.
  std::unique_ptr<Runtime> runtime_;
  std::vector<std::unique_ptr<Sender>> senders_;
  std::vector<Path> paths_;
};

} // namespace sartor::send

#endif

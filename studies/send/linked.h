// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_LINKED_H
#define SEND_LINKED_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sartor::send {

/// A way of messages as a linker makes it that sees all of lwIP (`-O3 -flto`).
struct LinkedPath {
  std::string name;              ///< udp64
  std::function<void()> send;    ///< Eight of them, one after the other.
  std::function<void()> prepare; ///< Acknowledges what has been sent.
};

/// Datagrams of these sizes, each on a socket of its own, and a stream in whole segments, to a
/// driver that drops them: as Rig has it, of a second lwIP that this library has for itself. Once
/// in a process. Throws std::runtime_error.
std::vector<LinkedPath> linked_paths(const std::vector<std::size_t> &datagram_sizes);

} // namespace sartor::send

#endif

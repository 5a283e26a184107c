// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_LINKED_H
#define SEND_LINKED_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sartor::send {

/// A send path as built by a linker that sees all of lwIP (`-O3 -flto`).
struct LinkedPath {
  std::string name;              ///< Such as udp64.
  std::function<void()> send;    ///< Sends eight messages one after the other.
  std::function<void()> prepare; ///< Acknowledges the sent data.
};

/// Datagrams of these sizes, each on a socket of its own, and a stream in whole segments, to a
/// driver that drops them: the same as in Rig, with a second lwIP inside this library. Once per
/// process. Throws std::runtime_error.
std::vector<LinkedPath> linked_paths(const std::vector<std::size_t> &datagram_sizes);

} // namespace sartor::send

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_CABLE_H
#define ECHO_CABLE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "port.h"

namespace sartor::echo {

/// A queue in memory of frames that travel in one direction.
class Frames {
public:
  static constexpr std::size_t capacity = 4096;
  static constexpr std::size_t longest = 1514;

  [[nodiscard]] bool is_full() const { return last_ - first_ == capacity; }
  [[nodiscard]] bool is_empty() const { return last_ == first_; }
  /// Returns room for the next frame; push() appends it with its size. The queue must not be full.
  [[nodiscard]] std::span<std::uint8_t, longest> room() { return slot(last_).bytes; }
  void push(std::size_t size) { slot(last_++).size = static_cast<std::uint32_t>(size); }
  /// Removes the first frame; its bytes are valid until room() reuses them. The queue must not be
  /// empty.
  [[nodiscard]] EchoFrame take() {
    const Slot &first = slot(first_++);
    return {first.bytes.data(), first.size};
  }

private:
  struct Slot {
    std::uint32_t size;
    std::array<std::uint8_t, longest> bytes;
  };
  Slot &slot(std::size_t number) { return slots_[number % capacity]; }

  std::vector<Slot> slots_{capacity};
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

/// A cable between a server and its clients, on one thread. It loses no frame if the clients check
/// that there is room before they send, and take all frames after each poll.
struct Cable {
  Frames to_server;
  Frames to_clients;
  /// The server's end of this cable, which must not be moved.
  [[nodiscard]] EchoPort port();
};

} // namespace sartor::echo

#endif

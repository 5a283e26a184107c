// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_MEMORY_IO_H
#define SARTOR_STUDY_NF_MEMORY_IO_H

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "frames.h"
#include "io.h"

namespace nf {

/// A packet that a function has sent, and its destination.
struct Sent {
  std::uint64_t number; ///< Index among all packets that arrived, from 0.
  std::uint8_t verdict; ///< enum NfVerdict
  Bytes bytes;
  bool operator==(const Sent &) const = default;
};

/// Ports that are queues in memory. Each frame is a heap block of exactly its size, so that
/// sanitizers detect reads beyond it. Belongs to one thread.
class MemoryIo {
public:
  MemoryIo();
  MemoryIo(const MemoryIo &) = delete;
  MemoryIo &operator=(const MemoryIo &) = delete;
  ~MemoryIo() = default;

  /// The interface for functions; valid as long as this object.
  [[nodiscard]] NfIo &io() { return own_.io; }
  void put(NfSide side, Bytes frame);
  [[nodiscard]] bool has_more(NfSide side) const { return !waiting_[side].empty(); }
  void set_time(std::uint64_t nanoseconds) { now_ = nanoseconds; }
  /// All packets since the last call in order, including dropped ones.
  std::vector<Sent> take();

private:
  struct Own { // standard layout: the handler's pointer is converted to its owner
    NfIo io{};
    MemoryIo *owner = nullptr;
  };
  struct Held {
    std::uint64_t number;
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size;
  };

  static MemoryIo &of(NfIo *io);
  std::uint32_t receive(NfSide side, NfPacket *packets, std::uint32_t most);
  void send(const NfPacket *packets, std::uint32_t count);

  Own own_;
  std::array<std::deque<Held>, nf_sides> waiting_;
  std::vector<Held> under_way_;
  std::vector<Sent> sent_;
  std::uint64_t put_ = 0;
  std::uint64_t now_ = 0;
};

} // namespace nf

#endif

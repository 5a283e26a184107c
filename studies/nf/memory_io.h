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

/// A packet that a function has let go, and where to.
struct Sent {
  std::uint64_t number; ///< The how manyeth it was of all that came, from 0 on.
  std::uint8_t verdict; ///< enum NfVerdict
  Bytes bytes;
  bool operator==(const Sent &) const = default;
};

/// Ports that are queues in memory, each frame a block of the heap's of exactly its size, so that
/// sanitizers see who reads beyond. Belongs to one thread.
class MemoryIo {
public:
  MemoryIo();
  MemoryIo(const MemoryIo &) = delete;
  MemoryIo &operator=(const MemoryIo &) = delete;
  ~MemoryIo() = default;

  /// What functions are given. Lives as long as this.
  [[nodiscard]] NfIo &io() { return own_.io; }
  void put(NfSide side, Bytes frame);
  [[nodiscard]] bool has_more(NfSide side) const { return !waiting_[side].empty(); }
  void set_time(std::uint64_t nanoseconds) { now_ = nanoseconds; }
  /// All that has come out since it was last asked, dropped packets too, in their order.
  std::vector<Sent> take();

private:
  struct Own { // standard layout: the handler's pointer leads to its owner
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_WORK_H
#define SARTOR_STUDY_NF_WORK_H

#include <array>
#include <atomic>
#include <cstdint>

#include "packet.h"

namespace nf {

/// Counters of a function since its start. Written by the thread that polls, read by any.
struct Work {
  std::array<std::atomic<std::uint64_t>, nf_sides> packets{};
  std::atomic<std::uint64_t> nanoseconds = 0; ///< Time with packets.

  void add(NfSide side, std::uint64_t more_packets, std::uint64_t more_nanoseconds) {
    packets[side].fetch_add(more_packets, std::memory_order_relaxed);
    nanoseconds.fetch_add(more_nanoseconds, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t all_packets() const {
    return packets[nf_external].load(std::memory_order_relaxed) +
           packets[nf_internal].load(std::memory_order_relaxed);
  }
};

} // namespace nf

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop.h"

#include <utility>

#include <rte_cycles.h>

namespace nf {

Loop::Loop(NfIo &io, Poll poll, Work &work) : io_(io), poll_(std::move(poll)), work_(work) {}

std::uint64_t Loop::round() {
  std::uint64_t all = 0;
  for (const NfSide side : {nf_external, nf_internal}) {
    const std::uint64_t begin = rte_rdtsc();
    const std::uint32_t packets = poll_(&io_, side);
    if (packets > 0)
      work_.add(side, packets, rte_rdtsc() - begin);
    all += packets;
  }
  return all;
}

void Loop::empty(NfSide side) {
  const std::uint64_t begin = rte_rdtsc();
  std::uint64_t packets = 0;
  while (const std::uint32_t count = poll_(&io_, side))
    packets += count;
  work_.add(side, packets, rte_rdtsc() - begin);
}

double ticks_per_second() { return static_cast<double>(rte_get_tsc_hz()); }

} // namespace nf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop.h"

#include <ctime>
#include <utility>

#include <rte_cycles.h>

namespace nf {

namespace {

std::uint64_t thread_nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace

Loop::Loop(NfIo &io, Poll poll, Work &work)
    : io_(io), poll_(std::move(poll)), work_(work),
      nanoseconds_per_tick_(1e9 / static_cast<double>(rte_get_tsc_hz())) {}

std::uint64_t Loop::round() {
  std::uint64_t all = 0;
  for (const NfSide side : {nf_external, nf_internal}) {
    const std::uint64_t begin = rte_rdtsc();
    const std::uint32_t packets = poll_(&io_, side);
    if (packets > 0)
      work_.add(side, packets,
                static_cast<std::uint64_t>(static_cast<double>(rte_rdtsc() - begin) *
                                           nanoseconds_per_tick_));
    all += packets;
  }
  return all;
}

void Loop::empty(NfSide side) {
  const std::uint64_t begin = thread_nanoseconds();
  std::uint64_t packets = 0;
  while (const std::uint32_t count = poll_(&io_, side))
    packets += count;
  work_.add(side, packets, thread_nanoseconds() - begin);
}

} // namespace nf

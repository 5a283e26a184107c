// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures Linux's UDP send path with code from a server (studies/linux): ticks of a
/// customized send, inside the kernel, over those of __sys_sendto(), the size of the code, and how
/// long a request takes. The device drops what is sent.

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "linux";

namespace {

constexpr int kBoots = 3;
constexpr double kMostBytes = 8192;

Figure cycles(const char *name, const linux_study::Sends &sends, double goal, double paper) {
  return {.name = name,
          .unit = "ratio",
          .measured = ratio(sends.token, sends.sendto),
          .goal = at_most(goal),
          .paper = paper};
}

} // namespace

std::vector<Figure> measure() {
  const linux_study::Measured measured = linux_study::measure_sends(kBoots);
  const linux_study::Sends &small = measured.by_size.at(64);
  const linux_study::Sends &large = measured.by_size.at(1024);
  return {cycles("udp_cycles_64", small, 0.65, 0.75),
          cycles("udp_cycles_1024", large, 0.68, 0.75),
          {.name = "udp_sendto_ticks_64", .unit = "ticks", .measured = median(small.sendto)},
          {.name = "udp_handler_ticks_64", .unit = "ticks", .measured = median(small.generic)},
          {.name = "udp_token_ticks_64", .unit = "ticks", .measured = median(small.token)},
          {.name = "variant_bytes",
           .unit = "bytes",
           .measured = median(small.bytes),
           .goal = at_most(kMostBytes)},
          {.name = "request_ms_warm",
           .unit = "ms",
           .measured = median(measured.compiled),
           .goal = at_most(300)},
          {.name = "request_ms_cached",
           .unit = "ms",
           .measured = median(measured.cached),
           .goal = at_most(30)}};
}

} // namespace sartor::bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// cache_program STARTED: a program that specializes its handler, calls it once and ends. Prints
/// the milliseconds since STARTED (nanoseconds of the monotonic clock) at which main() began, the
/// runtime was open, and the fully optimised variant was in force; and where it came from.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <sartor/sartor.hpp>

#include "cache_handler.h"

namespace {

double milliseconds_since(long long start) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec * 1'000'000'000LL + now.tv_nsec - start) * 1e-6;
}

} // namespace

int main(int argc, char **argv) {
  const long long start = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 0;
  const double begun = milliseconds_since(start);
  sartor::Runtime runtime;
  const double opened = milliseconds_since(start);
  auto develop = runtime.handler<&bench_develop>();
  const Development how{3, 3, 2, 1, 2, 8, 1, 64, 4095, 0.01F, 0.6F, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const auto variants = runtime.specialize({{"channels", how.channels},
                                            {"blur", how.blur_radius},
                                            {"sharpen", how.sharpen_radius},
                                            {"border", how.border},
                                            {"curve", how.curve},
                                            {"depth", how.depth},
                                            {"dither", how.dither}});
  const double in_force = milliseconds_since(start);
  const std::vector<std::uint16_t> raw(std::size_t{16} * 16 * 3, 2048);
  std::vector<std::uint8_t> developed(raw.size());
  std::vector<float> scratch(2 * raw.size());
  develop(raw.data(), developed.data(), scratch.data(), 16, 16, &how);
  std::printf("%.3f %.3f %.3f %d %d\n", begun, opened, in_force, developed[0],
              static_cast<int>(variants.front().origin));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file start_program STARTED: has its handler develop a photograph of 256 pixels and ends. It
/// prints the milliseconds since STARTED (nanoseconds of the monotonic clock) at which main()
/// began, the runtime was open, and the fully optimized variant was active; its resident bytes at
/// that time; and the origin of the code. START_WITH: 0, without Sartor; 1, linked with it; 2,
/// specializing; 3, with a runtime that is opened lazily, of which nothing is wanted.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#if START_WITH > 0
#include <sartor/sartor.hpp>
#endif

#include "start_handler.h"

namespace {

double milliseconds_since(long long start) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec * 1'000'000'000LL + now.tv_nsec - start) * 1e-6;
}

/// Returns the resident bytes, including mapped files.
double resident_bytes() {
  double kib = 0;
  std::FILE *file = std::fopen("/proc/self/status", "re");
  char line[256];
  while (file && std::fgets(line, sizeof line, file))
    if (std::strncmp(line, "VmRSS:", 6) == 0)
      kib = std::strtod(line + 6, nullptr);
  if (file)
    std::fclose(file);
  return kib * 1024;
}

} // namespace

int main(int argc, char **argv) {
  const long long start = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 0;
  const double begun = milliseconds_since(start);
  const Development how{3, 3, 2, 1, 2, 8, 1, 64, 4095, 0.01F, 0.6F, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double opened = 0;
  int origin = 0;
#if START_WITH == 1
  // Never true, which the compiler does not know: keeps the linker from dropping the library.
  if (argc > 100)
    std::puts(sartor::Configuration().text().c_str());
#elif START_WITH == 2
  sartor::Runtime runtime;
  opened = milliseconds_since(start);
  auto handle = runtime.handler<&bench_develop>();
  origin = static_cast<int>(runtime
                                .specialize({{"channels", how.channels},
                                             {"blur", how.blur_radius},
                                             {"sharpen", how.sharpen_radius},
                                             {"border", how.border},
                                             {"curve", how.curve},
                                             {"depth", how.depth},
                                             {"dither", how.dither}})
                                .front()
                                .origin);
#elif START_WITH == 3
  sartor::Options options;
  options.lazy_opening = true;
  sartor::Runtime runtime(options);
  opened = milliseconds_since(start);
  auto handle = runtime.handler<&bench_develop>();
#endif
  const double active = milliseconds_since(start);
  const double resident = resident_bytes();
  const std::vector<std::uint16_t> raw(std::size_t{16} * 16 * 3, 2048);
  std::vector<std::uint8_t> developed(raw.size());
  std::vector<float> scratch(2 * raw.size());
#if START_WITH >= 2
  handle(raw.data(), developed.data(), scratch.data(), 16, 16, &how);
#else
  bench_develop(raw.data(), developed.data(), scratch.data(), 16, 16, &how);
#endif
  std::printf("%.3f %.3f %.3f %.0f %d %d\n", begun, opened, active, resident, origin, developed[0]);
  return 0;
}

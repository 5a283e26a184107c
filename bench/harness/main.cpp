// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file bench_<name> [DIRECTORY]: measures, prints the figures, and writes DIRECTORY/<name>.json.

#include <cstdio>
#include <exception>

#include "figures.h"

/// A hash of the limits of exploration and change detection, for benchmarks of these.
#ifndef SARTOR_BENCH_LIMITS
#define SARTOR_BENCH_LIMITS ""
#endif

int main(int argc, char **argv) {
  using namespace sartor::bench;
  try {
    report({bench_name, SARTOR_BENCH_LIMITS}, measure(), argc > 1 ? argv[1] : "build/bench");
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench_%s: %s\n", bench_name, error.what());
    return 1;
  }
}

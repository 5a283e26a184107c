// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// bench_<name> [DIRECTORY]: measures, prints, and writes DIRECTORY/<name>.json.

#include <cstdio>
#include <exception>

#include "figures.h"

int main(int argc, char **argv) {
  using namespace sartor::bench;
  try {
    report(bench_name, measure(), argc > 1 ? argv[1] : "build/bench");
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench_%s: %s\n", bench_name, error.what());
    return 1;
  }
}

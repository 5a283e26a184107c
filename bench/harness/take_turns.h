// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_TAKE_TURNS_H
#define SARTOR_BENCH_TAKE_TURNS_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <random>

#include "harness.h"

namespace sartor::bench {

/// Like interleave(), for programs that measure themselves: in each round, each `run()` returns a
/// sample, in random order.
template <class Program, std::size_t n>
void take_turns(const std::array<Program, n> &programs, const std::array<Samples *, n> &samples,
                std::size_t rounds) {
  std::array<std::size_t, n> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order)
      samples.at(i)->push_back(programs.at(i).run());
  }
}

} // namespace sartor::bench

#endif

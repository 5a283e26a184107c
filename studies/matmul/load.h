// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_LOAD_H
#define MATMUL_LOAD_H

#include <chrono>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "reference.h"

namespace matmul {

/// Two matrices to be multiplied, and what comes out.
struct Pair {
  Matrix a;
  Matrix b;
  Matrix product; ///< Empty if nobody wants to check.
};

/// Requests of one size.
struct Phase {
  std::uint64_t n;
  std::chrono::duration<double> length;
  std::vector<Pair> pairs; ///< Taken in turn. Not empty.
};

/// Random pairs, the same for the same `n`. The product of the first is computed too, or of all.
std::vector<Pair> make_pairs(std::uint64_t n, bool check_all);

struct PhaseTotals {
  std::uint64_t n = 0;
  double seconds = 0;
  std::uint64_t requests = 0;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  double median_latency = 0; ///< Seconds from sending to having the whole product.
  double p99_latency = 0;
};

/// Runs the phases one after the other against the server on 127.0.0.1:`port`: every connection
/// keeps two requests in flight, and all of a phase's are answered before the next one begins.
/// Throws std::system_error if the server cannot be reached or goes away, std::runtime_error if it
/// answers nonsense. Stops early, with what it has, when `interrupted` is set (by a signal).
std::vector<PhaseTotals> run_load(std::uint16_t port, unsigned connections,
                                  const std::vector<Phase> &phases,
                                  const volatile std::sig_atomic_t &interrupted);

} // namespace matmul

#endif

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

/// Two matrices to be multiplied, and their product.
struct Pair {
  Matrix a;
  Matrix b;
  Matrix product; ///< Empty if the product is not checked.
};

/// Requests of one size.
struct Phase {
  std::uint64_t n;
  std::chrono::duration<double> length;
  std::vector<Pair> pairs; ///< Used in turn. Not empty.
};

/// Random pairs, deterministic for each `n`. Also computes the product of the first pair, or of
/// all.
std::vector<Pair> make_pairs(std::uint64_t n, bool check_all);

struct PhaseTotals {
  std::uint64_t n = 0;
  double seconds = 0;
  std::uint64_t requests = 0;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  double median_latency = 0; ///< In seconds, from sending to the whole product.
  double p99_latency = 0;
};

/// Runs the phases one after the other against the server on 127.0.0.1:`port`. Each connection
/// keeps two requests in flight; all requests of a phase are answered before the next phase begins.
/// Throws std::system_error if the server cannot be reached or disconnects, std::runtime_error if
/// it sends a malformed answer. Stops early, with the totals so far, when `interrupted` is set (by
/// a signal).
std::vector<PhaseTotals> run_load(std::uint16_t port, unsigned connections,
                                  const std::vector<Phase> &phases,
                                  const volatile std::sig_atomic_t &interrupted);

} // namespace matmul

#endif

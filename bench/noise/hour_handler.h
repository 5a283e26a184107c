// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_HOUR_HANDLER_H
#define SARTOR_BENCH_NOISE_HOUR_HANDLER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sartor::bench {

constexpr std::size_t kSide = 48; ///< Side of the matrices.
constexpr std::size_t kKinds = 8; ///< Number of kinds of requests.
constexpr std::size_t kTableSize = 1U << 16;

/// The data of one worker.
struct Bench {
  std::array<std::uint64_t, kSide * kSide> a, b, c;
  std::vector<std::uint64_t> table;
};

/// Serves one request: a product by blocks (the point "B"), then lookups in a table that exceeds
/// the first-level cache, somewhat more for higher kinds (the point "kind").
std::uint64_t serve(Bench &bench, std::size_t kind, std::uint64_t key, std::size_t block);

} // namespace sartor::bench

#endif

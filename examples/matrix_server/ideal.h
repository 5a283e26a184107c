// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_IDEAL_H
#define MATMUL_IDEAL_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace matmul {

/// The server's best performance, found by exhaustive search without an explorer.
struct Ideal {
  double rate = 0;     ///< Multiply-adds per second.
  std::string variant; ///< The configuration that achieves the rate.
};

/// Returns the ideal for each size. Each configuration of the explorer's space is activated
/// permanently in a server process of its own, one after the other, in three rounds; the median of
/// each counts. Takes some four seconds for each of 14 configurations and each size. Throws
/// std::runtime_error.
std::map<std::uint64_t, Ideal> find_ideal(const std::vector<std::uint64_t> &sizes,
                                          const std::filesystem::path &folder);

} // namespace matmul

#endif

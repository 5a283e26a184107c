// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_IDEAL_H
#define MATMUL_IDEAL_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace matmul {

/// What the server does at its best, found by trying everything, with no explorer in it.
struct Ideal {
  double rate = 0;     ///< Multiply-adds per second.
  std::string variant; ///< The configuration that has it.
};

/// By size. Each configuration that the explorer chooses from is put in force for good, in a server
/// of its own, one after the other, three times round; the median of each counts. Takes some four
/// seconds for each of 14 configurations and each size. Throws std::runtime_error.
std::map<std::uint64_t, Ideal> find_ideal(const std::vector<std::uint64_t> &sizes,
                                          const std::filesystem::path &folder);

} // namespace matmul

#endif

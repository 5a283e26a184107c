// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_LD_MICRO_LIBRARIES_H
#define SARTOR_BENCH_LD_MICRO_LIBRARIES_H

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// Writes and builds missing files in `directory`: as many libraries as the largest of `counts`,
/// and for each count a program micro_<count>. The program calls the function of each of its
/// libraries in turn and prints the ticks per call. Throws std::runtime_error if that fails.
void build_micro_programs(const std::filesystem::path &directory,
                          const std::vector<std::size_t> &counts);

} // namespace sartor::bench

#endif

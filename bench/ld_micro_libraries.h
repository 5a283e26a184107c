// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_LD_MICRO_LIBRARIES_H
#define SARTOR_BENCH_LD_MICRO_LIBRARIES_H

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// Writes and builds, in `directory`, what is not there yet: as many libraries as the largest of
/// `counts` says, and for each count a program micro_<count> that calls the function of each of so
/// many libraries in turn and prints the ticks per call. Throws std::runtime_error if that fails.
void build_micro_programs(const std::filesystem::path &directory,
                          const std::vector<std::size_t> &counts);

} // namespace sartor::bench

#endif

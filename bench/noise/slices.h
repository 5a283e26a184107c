// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_SLICES_H
#define SARTOR_BENCH_NOISE_SLICES_H

#include <filesystem>
#include <string>
#include <vector>

namespace sartor::bench {

/// What a program did in one slice of time; as shares of the recording's median once unpacked.
struct Slice {
  double throughput; ///< Requests per second.
  double efficiency; ///< Requests per second of CPU time.
};

/// A recording as it is kept, two 16-bit little-endian numbers for each slice.
std::string packed(const std::vector<Slice> &slices);
/// Throws std::runtime_error if the file cannot be read.
std::vector<Slice> read_slices(const std::filesystem::path &file);

} // namespace sartor::bench

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_SLICES_H
#define SARTOR_BENCH_NOISE_SLICES_H

#include <filesystem>
#include <string>
#include <vector>

namespace sartor::bench {

/// A sample of a program; values are shares of the recording's median after unpacking.
struct Slice {
  double throughput; ///< Requests per second.
  double efficiency; ///< Requests per second of CPU time.
};

/// Returns the stored form of a recording: two 16-bit little-endian numbers per sample.
std::string packed(const std::vector<Slice> &sample_count);
/// Throws std::runtime_error if the file cannot be read.
std::vector<Slice> read_slices(const std::filesystem::path &file);

} // namespace sartor::bench

#endif

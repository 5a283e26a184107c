// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_MEASURE_H
#define LPM_MEASURE_H

#include <cstdint>
#include <string>
#include <vector>

#include "generate.h"
#include "harness.h"

namespace lpm {

/// Length of a trace in addresses, and how many of them one call looks up.
inline constexpr std::size_t kTrace = 16'384;
inline constexpr std::size_t kBurst = 256;
/// Number of destinations in workloads A and B, and of inputs that a fast path answers.
inline constexpr std::size_t kDestinations = 64;
/// Number of destinations in the mixed workload: more than a fast path answers.
inline constexpr std::size_t kMixedDestinations = 4096;

/// The measured times of one lookup method.
struct Timing {
  std::string way;
  sartor::bench::Samples ticks; ///< Ticks per address, one sample for each round.
};

/// Names of the lookup methods. NI is the decision tree, FP the fast path; methods with a tree are
/// measured for each of kLeafSizes, which is appended to the name.
namespace way {
inline const std::string generic = "generic";     ///< Hash tables, compiled ahead of time.
inline const std::string rte = "rte_lpm";         ///< DPDK's table, compiled ahead of time.
inline const std::string invariant = "invariant"; ///< Hash tables declared invariant.
inline const std::string fast_path = "FP";
inline const std::string tree = "NI ";
inline const std::string both = "NI+FP ";
inline const std::string handwritten = "C "; ///< The same tree in C, compiled ahead of time.
} // namespace way

/// Measures all methods for the addresses of one workload in one set, interleaved. Throws
/// std::runtime_error if their answers differ; sartor::Error.
template <class Address>
std::vector<Timing> measure(const NamedSet<Address> &set, Workload workload, std::size_t rounds);

/// The timing of one method. Throws std::out_of_range.
const Timing &timing(const std::vector<Timing> &timings, const std::string &way);
/// The fastest of the methods whose names start with `beginning`.
const Timing &fastest(const std::vector<Timing> &timings, const std::string &beginning);

} // namespace lpm

#endif

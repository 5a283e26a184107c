// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_MEASURE_H
#define LPM_MEASURE_H

#include <cstdint>
#include <string>
#include <vector>

#include "generate.h"
#include "harness.h"

namespace lpm {

/// Addresses of a trace, and how many of them a call looks up.
inline constexpr std::size_t kTrace = 16'384;
inline constexpr std::size_t kBurst = 256;
/// Destinations of the workloads A and B, and inputs that a fast path answers.
inline constexpr std::size_t kDestinations = 64;
/// Destinations of the mixed workload: more than a fast path answers.
inline constexpr std::size_t kMixedDestinations = 4096;

/// How long one way to look up took.
struct Timing {
  std::string way;
  sartor::bench::Samples ticks; ///< Per address, one for each round.
};

/// The ways, by name. NI is the decision tree, FP the fast path; those with a tree are measured for
/// each of kLeafSizes, which follows the name.
namespace way {
inline const std::string generic = "generic";     ///< Hash tables, ahead of time.
inline const std::string rte = "rte_lpm";         ///< DPDK's table, ahead of time.
inline const std::string invariant = "invariant"; ///< Hash tables that are known not to change.
inline const std::string fast_path = "FP";
inline const std::string tree = "NI ";
inline const std::string both = "NI+FP ";
inline const std::string handwritten = "C "; ///< The same tree in C, ahead of time.
} // namespace way

/// All ways to look up the addresses of one workload in one set, interleaved. Throws
/// std::runtime_error if one of them answers differently from the others; sartor::Error.
template <class Address>
std::vector<Timing> measure(const NamedSet<Address> &set, Workload workload, std::size_t rounds);

/// The timing of one way. Throws std::out_of_range.
const Timing &timing(const std::vector<Timing> &timings, const std::string &way);
/// Of those whose names begin so, the fastest.
const Timing &fastest(const std::vector<Timing> &timings, const std::string &beginning);

} // namespace lpm

#endif

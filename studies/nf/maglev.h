// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_MAGLEV_H
#define SARTOR_STUDY_NF_MAGLEV_H

#include <cstdint>
#include <span>
#include <vector>

namespace nf {

/// What a lookup table is filled with, for a share of its entries.
struct MaglevEntry {
  std::uint64_t name; ///< Says which entries it prefers; the same wherever the table is made.
  std::uint16_t number;
};

/// Maglev hashing's lookup table (NSDI 2016, section 3.4): each has a permutation of all entries of
/// its own, and in turn takes the next that is free. So all have as many, but for one; and when
/// some come or go, most entries stay as they are. `size` is a prime; without anybody, all are
/// `nobody`.
std::vector<std::uint16_t> maglev_table(std::span<const MaglevEntry> all, std::uint32_t size,
                                        std::uint16_t nobody);

} // namespace nf

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_MAGLEV_H
#define SARTOR_STUDY_NF_MAGLEV_H

#include <cstdint>
#include <span>
#include <vector>

namespace nf {

/// A value that gets a share of a lookup table's entries.
struct MaglevEntry {
  std::uint64_t name; ///< Determines its preferred entries, equally on every machine.
  std::uint16_t number;
};

/// Maglev hashing's lookup table (NSDI 2016, section 3.4): each value has its own permutation of
/// all entries, and in turn takes the next free one. So all values get the same number of entries,
/// up to one; and when values are added or removed, most entries do not change. `size` is a prime.
/// If `all` is empty, each entry is `none`.
std::vector<std::uint16_t> maglev_table(std::span<const MaglevEntry> all, std::uint32_t size,
                                        std::uint16_t none);

} // namespace nf

#endif

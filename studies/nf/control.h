// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_CONTROL_H
#define SARTOR_STUDY_NF_CONTROL_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <random>

#include "fragment.h"

namespace nf {

/// Number of slots that one sweep examines.
inline constexpr std::uint32_t slots_at_a_time = 1024;

/// Replaces a table by an empty one with room for so many entries. `make` and `free` are the
/// table's functions.
template <class Table>
void make_anew(Table &table, std::uint32_t entries,
               int (*make)(Table *, std::uint32_t, std::uint64_t), void (*free)(Table *)) {
  free(&table);
  std::random_device random;
  if (!make(&table, std::bit_ceil(2 * std::max(entries, 16U)),
            std::uint64_t{random()} << 32U | random()))
    throw std::bad_alloc();
}

/// The predicate for sweeps of fragment tables.
inline int is_fragment_over(const NfFragmentKey *, const NfFragment *fragment, void *now) {
  return nf_is_fragment_over(fragment, *static_cast<const std::uint64_t *>(now));
}

} // namespace nf

#endif

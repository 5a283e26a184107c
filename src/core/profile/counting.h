// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_COUNTING_H
#define SARTOR_CORE_PROFILE_COUNTING_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/profile/sketch.h"

namespace sartor::core {

/// Counts a record `weight` times in a block. Called by the block's thread.
void count(const PointPlace &place, std::byte *block, const std::uint64_t *words,
           std::uint64_t weight);

/// True if a call is to be recorded. Draws the number of calls to skip after it: random with mean
/// `every` - 1, so that no period in the calls coincides with it. `is_new`: the call has not been
/// counted down yet. Called by the block's thread.
bool is_due(const PointPlace &place, std::byte *block, std::uint32_t every, bool is_new);

/// Adds the counts of a point of a block. Called by any thread.
void read(const PointPlace &place, std::byte *block, Seen &seen);

/// Merges entries with the same inputs. Of their extras it keeps the latest: those of the highest
/// version, if there is one.
void merge_entries(const Shape &shape, std::vector<Entry> &entries);

} // namespace sartor::core

#endif

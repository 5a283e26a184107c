// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_COUNTING_H
#define SARTOR_CORE_PROFILE_COUNTING_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/profile/sketch.h"

namespace sartor::core {

/// Counts a record `weight` times in a block. By the block's thread.
void count(const PointPlace &place, std::byte *block, const std::uint64_t *words,
           std::uint64_t weight);

/// Whether a call is to be recorded, and how many are not after it: a random number with mean
/// `every` - 1, so that no period in the calls can fall in step. `is_new`: the call has not been
/// counted down yet. By the block's thread.
bool is_due(const PointPlace &place, std::byte *block, std::uint32_t every, bool is_new);

/// Adds what a place of a block has seen. By any thread.
void read(const PointPlace &place, std::byte *block, Seen &seen);

/// Makes one of all entries with the same inputs. Of their extras it keeps the latest: those of the
/// highest version, if there is one.
void merge_entries(const Shape &shape, std::vector<Entry> &entries);

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_ROTATION_BLOCK_H
#define SARTOR_CORE_COMPILER_ROTATION_BLOCK_H

#include <cstddef>
#include <cstdint>

namespace sartor::core {

/// What a rotation stub reads and writes of its thread's block. Belongs to the thread.
struct RotationBlock {
  std::uint64_t armed;      ///< The plan that `code` belongs to; 0 during a call and a change.
  void *code;               ///< The variant whose turn it is.
  std::uint64_t ticks;      ///< Taken by the calls of the batch so far.
  std::int64_t left;        ///< Calls until the batch is over.
  std::uint64_t most_ticks; ///< It is over too when its calls have taken so many.
};

/// What a rotation stub is made for.
struct RotationSite {
  /// The distance from the thread pointer to a pointer to the thread's table of blocks: an array of
  /// pointers, null where the thread has none yet.
  std::ptrdiff_t table;
  unsigned slot;             ///< The index in the table.
  const std::uint64_t *plan; ///< The number of the plan in force; changes at any time.
  void *rotation;            ///< For the functions below.
  /// For a call that finds its block missing, not armed, or armed for another plan. Gives what to
  /// call without measuring, or null when the block is armed now.
  void *(*enter)(void *rotation);
  /// For a batch that is over; arms the block for the next one.
  void (*next)(void *rotation, RotationBlock *block);
};

} // namespace sartor::core

#endif

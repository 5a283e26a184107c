// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_ROTATION_BLOCK_H
#define SARTOR_CORE_COMPILER_ROTATION_BLOCK_H

#include <cstddef>
#include <cstdint>

namespace sartor::core {

/// The part of its thread's block that a rotation stub reads and writes. Accessed by that thread
/// only.
struct RotationBlock {
  std::uint64_t armed;      ///< The plan of `code`; 0 during a call and a change.
  void *code;               ///< The current variant.
  std::uint64_t ticks;      ///< Ticks of the calls of the batch so far.
  std::int64_t left;        ///< Remaining calls of the batch.
  std::uint64_t most_ticks; ///< The batch also ends when its calls have taken so many ticks.
};

/// Addresses that are compiled into a rotation stub.
struct RotationSite {
  /// The offset from the thread pointer of a pointer to the thread's table of blocks: an array of
  /// pointers, null if the thread has no block yet.
  std::ptrdiff_t table;
  unsigned slot;             ///< The index in the table.
  const std::uint64_t *plan; ///< The number of the active plan; changes at any time.
  void *rotation;            ///< Passed to the functions below.
  /// Called if the block is missing, not armed, or armed for another plan. Returns the code to call
  /// without measuring, or null if the block is armed now.
  void *(*enter)(void *rotation);
  /// Called at the end of a batch; arms the block for the next one.
  void (*next)(void *rotation, RotationBlock *block);
};

} // namespace sartor::core

#endif

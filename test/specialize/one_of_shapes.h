// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_ONE_OF_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_ONE_OF_SHAPES_H

#include <cstddef>
#include <cstdint>

// Handlers that save control state in memory that changes, and load it again.

/// An operation of a backtracking machine. Positions are indices into the program.
struct Trial {
  std::uint8_t op;
  std::uint8_t number;
  std::uint16_t place;
};
enum TrialOp : std::uint8_t {
  trial_end,       ///< Returns the sum.
  trial_add,       ///< Adds `number` and the input to the sum.
  trial_try,       ///< Saves `place` as a position to continue at later.
  trial_back,      ///< Continues at the last saved position, or ends.
  trial_back_if,   ///< The same, if the sum's lowest bit is set.
  trial_go,        ///< Continues at `place`.
  trial_save_input ///< Saves the input, whatever its value, as a position.
};

struct Trials {
  const Trial *code;
  std::uint32_t size;
  const std::uint8_t *table; ///< An automaton's: four rows of 256 entries, one row for each state.
  std::uint32_t step;
  std::uint64_t calls; ///< Never declared invariant.
};

constexpr std::size_t kMostSaved = 8;

using TrialHandler = std::uint64_t(const Trials *, std::uint64_t input, std::uint64_t fuel);

extern "C" {
TrialHandler one_of_index;   ///< Saves indices.
TrialHandler one_of_pointer; ///< Saves pointers.
TrialHandler one_of_nested;  ///< Runs a program of positions within a loop, with two integer types.
TrialHandler one_of_entered; ///< Begins at any position.
TrialHandler one_of_leaving; ///< Calls a separate function if a position is not known.
TrialHandler one_of_memory;  ///< Has no local cursor.
TrialHandler one_of_states;  ///< An automaton over the input's bytes.
TrialHandler one_of_nothing; ///< Marks a value that is never known.
TrialHandler one_of_bool;    ///< Marks a condition.
TrialHandler one_of_few;     ///< Has three operations: add, try, and back for all others.
TrialHandler one_of_fewest;  ///< Has two operations, and an end.
}

#endif

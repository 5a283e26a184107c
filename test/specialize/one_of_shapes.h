// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_ONE_OF_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_ONE_OF_SHAPES_H

#include <cstddef>
#include <cstdint>

// Handlers that save what steers them in memory which changes, and load it again.

/// Of a machine that tries one way after the other. Places are indices into the program.
struct Trial {
  std::uint8_t op;
  std::uint8_t number;
  std::uint16_t place;
};
enum TrialOp : std::uint8_t {
  trial_end,       ///< Gives the sum.
  trial_add,       ///< Adds `number` and the input to the sum.
  trial_try,       ///< Saves `place`, as what to go on with later.
  trial_back,      ///< Goes on with what was saved last, or ends.
  trial_back_if,   ///< The same, if the sum's lowest bit is set.
  trial_go,        ///< Goes on at `place`.
  trial_save_input ///< Saves the input, whatever it is, as a place.
};

struct Trials {
  const Trial *code;
  std::uint32_t size;
  const std::uint8_t *table; ///< Of an automaton: four rows, one for each state, of 256.
  std::uint32_t step;
  std::uint64_t calls; ///< Never promised.
};

constexpr std::size_t kMostSaved = 8;

using TrialHandler = std::uint64_t(const Trials *, std::uint64_t input, std::uint64_t fuel);

extern "C" {
TrialHandler one_of_index;   ///< Saves indices.
TrialHandler one_of_pointer; ///< Saves pointers.
TrialHandler one_of_nested;  ///< Runs a program of places within a loop, by two kinds of integers.
TrialHandler one_of_entered; ///< Begins anywhere.
TrialHandler one_of_leaving; ///< Leaves to a function of its own where a place is not known.
TrialHandler one_of_memory;  ///< Has no local cursor at all.
TrialHandler one_of_states;  ///< An automaton over the input's bytes.
TrialHandler one_of_nothing; ///< Marks what is never known.
TrialHandler one_of_bool;    ///< Marks a condition.
TrialHandler one_of_few;     ///< Has three operations: add, try, and back for all others.
TrialHandler one_of_fewest;  ///< Has two, and an end.
}

#endif

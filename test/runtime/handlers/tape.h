// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_TAPE_H
#define SARTOR_TEST_RUNTIME_HANDLERS_TAPE_H

#include <cstdint>
#include <vector>

// A small interpreter whose programs may call back.

struct Step {
  enum Kind : std::uint32_t { stop, add, multiply, call } kind;
  std::uint32_t number;
};
using Tape = std::vector<Step>;

/// The function that a `call` step calls.
using Called = void (*)(void *);

extern "C" std::uint64_t run_tape(const Step *steps, std::uint64_t input, Called called,
                                  void *object);

/// A random tape with a final stop; it depends on the seed.
Tape some_tape(std::uint32_t seed, std::size_t size);

#endif

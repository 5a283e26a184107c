// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tape.h"

#include <random>

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t run_tape(const Step *steps, std::uint64_t input, Called called,
                                      void *object) {
  for (;; ++steps)
    switch (steps->kind) {
    case Step::add:
      input += steps->number;
      break;
    case Step::multiply:
      input *= steps->number;
      break;
    case Step::call:
      called(object);
      break;
    default:
      return input;
    }
}

Tape some_tape(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  Tape tape(size);
  for (Step &step : tape)
    step = {static_cast<Step::Kind>(1 + random() % 2), static_cast<std::uint32_t>(random())};
  tape.push_back({Step::stop, 0});
  return tape;
}

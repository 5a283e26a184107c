// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "programs_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t interpret(const Instruction *program, std::uint64_t input) {
  std::uint64_t value = input;
  for (const Instruction *next = program;;) {
    const Instruction *const instruction = next++;
    switch (instruction->operation) {
    case Operation::add:
      value += instruction->constant;
      break;
    case Operation::multiply:
      value *= instruction->constant;
      break;
    case Operation::exclusive_or:
      value ^= value >> (instruction->constant & 63U);
      break;
    case Operation::jump_if_odd:
      if ((value & 1U) != 0)
        next = program + instruction->target;
      break;
    case Operation::leave:
      return value;
    }
  }
}

} // namespace sartor::bench

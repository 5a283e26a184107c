// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_PROGRAMS_HANDLER_H
#define SARTOR_BENCH_PROGRAMS_HANDLER_H

#include <cstdint>

namespace sartor::bench {

enum class Operation : std::uint8_t { add, multiply, exclusive_or, jump_if_odd, leave };

struct Instruction {
  Operation operation;
  std::uint8_t target;
  std::uint32_t constant;
};

std::uint64_t interpret(const Instruction *program, std::uint64_t input);

} // namespace sartor::bench

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Code that one would write by hand if the rules and the program were known: without loops
/// and tables.

#include <utility>

#include "fold_program.h"

namespace {

template <std::size_t n, std::size_t i>
[[gnu::always_inline]] inline std::uint64_t match(std::uint32_t address) {
  if constexpr (i == n) {
    return 0;
  } else {
    if ((address & kRules<n>[i].mask) == kRules<n>[i].net)
      return kRules<n>[i].value;
    return match<n, i + 1>(address);
  }
}

template <std::size_t i> void step(std::uint64_t &sum, std::uint32_t input) {
  constexpr Instruction instruction = kProgram[i];
  if constexpr (instruction.op == Op::add)
    sum += instruction.immediate;
  else if constexpr (instruction.op == Op::multiply)
    sum *= instruction.immediate;
  else if constexpr (instruction.op == Op::exclusive_or)
    sum ^= instruction.immediate;
  else if constexpr (instruction.op == Op::shift_right)
    sum ^= sum >> instruction.immediate;
  else if constexpr (instruction.op == Op::add_input)
    sum += std::uint64_t{input} << (instruction.immediate & 31U);
}

template <std::size_t... i>
std::uint64_t run(std::uint32_t input, std::index_sequence<i...> /*steps*/) {
  std::uint64_t sum = input;
  (step<i>(sum, input), ...);
  return sum;
}

} // namespace

extern "C" {

std::uint64_t straight_list(const Config *, const std::uint32_t *addresses, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += match<kListRules, 0>(addresses[i]);
  return sum;
}

std::uint64_t straight_array(const Config *, const std::uint32_t *addresses, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += match<kArrayRules, 0>(addresses[i]);
  return sum;
}

std::uint64_t straight_program(const Config *, const std::uint32_t *inputs, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += run(inputs[i], std::make_index_sequence<kProgramSize>());
  return sum;
}

} // extern "C"

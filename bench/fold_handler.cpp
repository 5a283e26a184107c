// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/points.h>

#include "fold_program.h"

namespace {

std::uint64_t match_list(const Config *config, std::uint32_t address) {
  for (const ListRule *rule = config->list; rule; rule = rule->next)
    if ((address & rule->rule.mask) == rule->rule.net)
      return rule->rule.value;
  return 0;
}

std::uint64_t match_array(const Config *config, std::uint32_t address) {
  for (std::size_t i = 0; i < config->array.count; ++i)
    if ((address & config->array.rules[i].mask) == config->array.rules[i].net)
      return config->array.rules[i].value;
  return 0;
}

std::uint64_t interpret(const Config *config, std::uint32_t input) {
  std::uint64_t sum = input;
  for (const Instruction *pc = config->program;; ++pc)
    switch (pc->op) {
    case Op::add:
      sum += pc->immediate;
      break;
    case Op::multiply:
      sum *= pc->immediate;
      break;
    case Op::exclusive_or:
      sum ^= pc->immediate;
      break;
    case Op::shift_right:
      sum ^= sum >> pc->immediate;
      break;
    case Op::add_input:
      sum += std::uint64_t{input} << (pc->immediate & 31U);
      break;
    case Op::leave:
      return sum;
    }
}

} // namespace

extern "C" {

SARTOR_HANDLER std::uint64_t fold_list(const Config *config, const std::uint32_t *addresses,
                                       std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += match_list(config, addresses[i]);
  return sum;
}

SARTOR_HANDLER std::uint64_t fold_array(const Config *config, const std::uint32_t *addresses,
                                        std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += match_array(config, addresses[i]);
  return sum;
}

SARTOR_HANDLER std::uint64_t fold_interpreter(const Config *config, const std::uint32_t *inputs,
                                              std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += interpret(config, inputs[i]);
  return sum;
}

} // extern "C"

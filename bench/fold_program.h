// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_FOLD_PROGRAM_H
#define SARTOR_BENCH_FOLD_PROGRAM_H

#include <array>
#include <cstddef>
#include <cstdint>

// The input of bench_fold: rules to match an address against, as in a firewall or a router, and a
// program for a small interpreter. Both are known at compile time, so that straight-line code can
// be written by hand.

struct Rule {
  std::uint32_t net;
  std::uint32_t mask;
  std::uint64_t value;
};

struct ListRule {
  ListRule *next;
  Rule rule;
};

struct RuleArray {
  std::size_t count;
  const Rule *rules;
};

enum class Op : std::uint8_t { add, multiply, exclusive_or, shift_right, add_input, leave };

struct Instruction {
  Op op;
  std::uint8_t immediate;
};

struct Config {
  RuleArray array;
  const ListRule *list;
  const Instruction *program;
};

constexpr std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Makes the rules with the longest prefixes first: a quarter for hosts, half for /24, a quarter
/// for /16.
template <std::size_t n> constexpr std::array<Rule, n> make_rules() {
  std::array<Rule, n> rules{};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t mask = 4 * i < n ? 0xffffffffU : 4 * i < 3 * n ? 0xffffff00U : 0xffff0000U;
    rules[i] = {static_cast<std::uint32_t>(scramble(i + 1)) & mask, mask, scramble(i + 1000)};
  }
  return rules;
}

template <std::size_t n> constexpr auto kRules = make_rules<n>();

constexpr std::size_t kListRules = 32;
constexpr std::size_t kArrayRules = 256;
constexpr std::size_t kProgramSize = 32;

constexpr std::array<Instruction, kProgramSize> make_program() {
  std::array<Instruction, kProgramSize> program{};
  for (std::size_t i = 0; i < kProgramSize; ++i)
    program[i] = {static_cast<Op>(scramble(i) % 5),
                  static_cast<std::uint8_t>(1 + scramble(i + 100) % 60)};
  program.back().op = Op::leave;
  return program;
}
constexpr auto kProgram = make_program();

/// Each function processes a batch of addresses, as a packet handler does, and returns the sum of
/// the results.
using Batch = std::uint64_t(const Config *, const std::uint32_t *, std::size_t);

extern "C" {
Batch fold_list, fold_array, fold_interpreter;         ///< Handlers.
Batch straight_list, straight_array, straight_program; ///< Written by hand.
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_FOLD_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_FOLD_SHAPES_H

#include <cstdint>
#include <vector>

// Handlers over memory that is declared invariant, in shapes that folding must handle.

struct Rule {
  std::uint32_t net;
  std::uint32_t mask;
  std::uint64_t value;
};

struct ListRule {
  ListRule *next;
  Rule rule;
};

struct Group {
  std::uint32_t kind;
  std::uint32_t count;
  Rule *rules;
};

using Step = std::uint64_t (*)(std::uint64_t);

struct Hook {
  Step step;
  std::uint64_t seen; ///< Never declared invariant.
};

struct Instruction {
  std::uint8_t op, a, b, c;
  std::int32_t immediate;
};

enum Op : std::uint8_t {
  op_return,
  op_load,
  op_add,
  op_subtract,
  op_multiply,
  op_xor,
  op_shift,
  op_move,
  op_input,
  op_jump,
  op_jump_if_zero,
  op_jump_if_less,
  op_count
};

struct Tree {
  std::uint32_t kind; ///< 0: a number, 1: the input, 2: a sum, 3: a product.
  std::uint32_t number;
  Tree *left;
  Tree *right;
};

struct Config {
  std::uint64_t mode;
  std::uint32_t count;
  Rule *rules;
  ListRule *list;
  std::uint32_t group_count;
  Group **groups;
  std::uint32_t hook_count;
  Hook **hooks;
  const Instruction *program;
  const char *pattern;
  std::vector<Rule> table;
  Tree *tree;
  std::uint64_t counter; ///< Never declared invariant.
};

using Handler3 = std::uint64_t(const Config *, std::uint64_t, std::uint64_t);

extern "C" {
Handler3 fold_volatile_mode;
Handler3 fold_relaxed_mode;
Handler3 fold_acquired_mode;
Handler3 fold_array, fold_list, fold_groups, fold_hooks, fold_vector, fold_pattern, fold_tree,
    fold_run, fold_run_decoding, fold_run_selecting, fold_run_threaded, fold_run_with_budget,
    fold_mode, fold_count_down, fold_packets, fold_ahead, fold_mutable, fold_unbounded, fold_helper,
    fold_static, fold_guarded_array, fold_guarded_list, fold_guarded_run, fold_behind_fast_path,
    fold_guarded_pointer;
const Rule *fold_which(const Config *, std::uint64_t, std::uint64_t);
std::uint64_t fold_digest(const Config *);
std::uint64_t fold_seldom(std::uint64_t); ///< Defined by the test.
std::uint64_t fold_twice(std::uint64_t);
std::uint64_t fold_plus_one(std::uint64_t);
}

extern Config static_config;

#endif

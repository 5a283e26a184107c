// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_CALL_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_CALL_SHAPES_H

#include <cstdint>

// Handlers that call functions marked SARTOR_FOLD.

struct Weighted {
  std::int64_t kind;
  std::int64_t value;
  const Weighted *next;
};

/// Number of calls of the marked functions, from any code.
extern unsigned marked_calls;

using WeightedHandler = std::int64_t(const Weighted *, std::int64_t);

extern "C" {
WeightedHandler call_behind_null, call_behind_kind, call_behind_input, call_behind_loop,
    call_after_branches, call_behind_abort, call_in_list, call_steering, call_in_helper,
    call_behind_guard, call_behind_failed_guard, call_that_divides, call_that_loads,
    call_that_aborts, call_that_throws, call_that_recurses, call_result_decides, call_for_memory;
}

#endif

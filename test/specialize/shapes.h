// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_SHAPES_H

#include <cstdint>

/// The state that a handler can change in addition to its result.
struct Memory {
  std::int64_t cells[16];
  double reals[16];
};

/// Returns memory to which, according to its declaration, no other pointer points.
extern "C" [[gnu::malloc]] std::int64_t *fresh(bool first);
/// The memory that fresh() returns.
extern std::int64_t first_fresh[4], second_fresh[4];

/// All shapes have this type, so that generic and specialized code can run on the same input.
using Shape = std::int64_t(Memory &memory, std::int64_t a, std::int64_t b);

/// A side effect that must happen exactly once. Throws `v` if the test demands it.
extern "C" void effect(int tag, std::int64_t v);
/// A value that the compiler cannot know.
extern "C" std::int64_t opaque(std::int64_t v);

// In shapes.cpp: positions of a point in the control flow.
Shape straight, after_effects, in_loop_varying, in_loop_invariant, in_loop_header, inlined_callee,
    called_callee, two_points, nested_loops, used_after_loop, irreducible, switched, recursive,
    early_returns, several_in_one_block;
// In shapes_memory.cpp: memory that is live across a point.
Shape stack_arrays, dynamic_stack, restrict_pointers, volatile_cells, global_state, thread_state,
    reduction, strings, big_structs;
// In shapes_pointers.cpp: specialized pointers.
Shape restrict_parameter, fresh_memory, pointer_quasi_invariants, several_values_far_from_the_end;
// In shapes_types.cpp: types of points.
Shape booleans, enumerations, small_integers, unsigned_large, floats, doubles, data_pointers,
    function_pointers, operation_tables, literals, ranges, assumptions;
// In shapes_unwind.cpp: exceptions, and shapes that must stay generic.
Shape thrown_through, caught_inside, point_in_catch, cleanups, thrown_by_point_loop, with_setjmp,
    computed_goto;

#endif

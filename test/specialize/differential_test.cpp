// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Differential tests of every code shape around a point.
#include <gtest/gtest.h>

#include "differential.h"

namespace {

struct Named {
  const char *name;
  Shape *shape;
  /// True if the code of the shape cannot be duplicated.
  bool stays_generic = false;
};

class Differential : public testing::TestWithParam<Named> {
protected:
  static sartor::Runtime &runtime() {
    static sartor::Runtime instance;
    return instance;
  }
};

} // namespace

TEST_P(Differential, SpecializedDoesWhatGenericDoes) {
  const Named &named = GetParam();
  const std::uint64_t failures =
      expect_same(runtime(), named.name, named.shape, rounds_or(6), Values::up_to_three);
  if (named.stays_generic)
    EXPECT_EQ(failures, 0U) << "no guard was expected";
  else
    EXPECT_GT(failures, 0U) << "no input ever failed a guard";
}

#define SHAPE(name)                                                                                \
  Named { #name, &name }
INSTANTIATE_TEST_SUITE_P(
    Shapes, Differential,
    testing::Values(
        SHAPE(straight), SHAPE(after_effects), SHAPE(in_loop_varying), SHAPE(in_loop_invariant),
        SHAPE(in_loop_header), SHAPE(inlined_callee), SHAPE(called_callee), SHAPE(two_points),
        SHAPE(nested_loops), SHAPE(used_after_loop), SHAPE(irreducible), SHAPE(switched),
        SHAPE(recursive), SHAPE(early_returns), SHAPE(several_in_one_block), SHAPE(stack_arrays),
        SHAPE(dynamic_stack), SHAPE(restrict_pointers), SHAPE(volatile_cells), SHAPE(global_state),
        SHAPE(thread_state), SHAPE(reduction), SHAPE(strings), SHAPE(big_structs),
        SHAPE(restrict_parameter), SHAPE(fresh_memory), SHAPE(pointer_quasi_invariants),
        SHAPE(several_values_far_from_the_end), SHAPE(booleans), SHAPE(enumerations),
        SHAPE(small_integers), SHAPE(unsigned_large), SHAPE(floats), SHAPE(doubles),
        SHAPE(data_pointers), SHAPE(function_pointers), SHAPE(operation_tables), SHAPE(literals),
        SHAPE(ranges), SHAPE(assumptions), SHAPE(thrown_through), SHAPE(caught_inside),
        SHAPE(point_in_catch), SHAPE(cleanups), SHAPE(thrown_by_point_loop),
        Named{"with_setjmp", &with_setjmp, true}, Named{"computed_goto", &computed_goto, true}),
    [](const auto &info) { return info.param.name; });

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_MUTANTS_KINDS_H
#define SARTOR_TEST_MUTANTS_KINDS_H

/// The kinds of src/compiler/mutants/mutant.cpp, for programs that are not linked with it.
inline constexpr const char *kMutants[] = {
    "constant_off",   "branch_inverted", "store_dropped",     "guard_removed",
    "stale_load",     "lanes_swapped",   "sign_lost",         "stale_invariant",
    "escaped_local",  "null_load",       "signedness",        "shift_off",
    "select_swapped", "loop_short",      "argument_replaced", "float_reassociated",
    "trunc_narrow",   "phi_swapped",     "memcpy_short",      "mask_changed",
    "infinite_loop",  "unreachable"};

#endif

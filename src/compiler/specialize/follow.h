// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLLOW_H
#define SARTOR_COMPILER_SPECIALIZE_FOLLOW_H

#include <llvm/IR/Function.h>

#include "compiler/specialize/evaluate.h"
#include "compiler/specialize/fold_story.h"

namespace sartor::compiler {

/// What the copies made in one function may amount to, in all rounds together. Beyond, compiling
/// would take seconds.
struct FollowBudget {
  unsigned instructions = 20000;
  unsigned nodes = 6000;
  unsigned edges = 20000; ///< From a sartor_one_of() to the values that it may have.
};

/// What could not be followed as a whole, in all rounds together.
struct FollowLimits {
  bool gave_up = false;
  unsigned copies_in_part = 0; ///< Blocks, of what was followed in part.
};

/// Folds what can be computed from invariant memory in a function, and *follows* its loops over
/// such memory: the value that steers a loop (the cursor of a list, the program counter of an
/// interpreter) is known on entry and computed from iteration to iteration; the blocks of the loop
/// are copied for each value that it takes. Where it takes a value again, control goes back to that
/// copy, so that a loop in an interpreted program becomes a loop. Where it cannot be computed,
/// control goes to the generic loop, which stays. Polyvariant partial evaluation, keyed by the
/// values of the steering phi nodes (the idea of C. Fallin and M. Bernstein, "Partial Evaluation,
/// Whole-Program Compilation", PLDI 2025, where the interpreter names its key itself).
///
/// Copies are bounded. Beyond, the steering phi node with most values is given up; or, if it is
/// what an interpreter dispatches by, as much is followed as there is room for, in the order of the
/// code, and control goes on in the generic loop. Returns whether anything was folded, and takes
/// what it has copied off the budget. `is_first`: in this round, where there is a sartor_one_of(),
/// only what is known anyhow is folded.
bool follow(llvm::Function &function, Evaluator &evaluator, FollowBudget &left, FollowLimits &met,
            FoldStory &story, bool is_first);

} // namespace sartor::compiler

#endif

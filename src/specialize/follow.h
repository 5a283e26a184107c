// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_FOLLOW_H
#define SARTOR_SPECIALIZE_FOLLOW_H

#include <llvm/IR/Function.h>

#include "specialize/evaluate.h"
#include "specialize/fold_story.h"

namespace sartor::specialize {

/// What the copies made in one function may amount to, in all rounds together. Beyond, compiling
/// would take seconds.
struct FollowBudget {
  unsigned instructions = 20000;
  unsigned nodes = 6000;
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
/// Copies are bounded: beyond, the steering phi node with most values is given up, and `gave_up`
/// set. Returns whether anything was folded, and takes what it has copied off the budget.
bool follow(llvm::Function &function, Evaluator &evaluator, FollowBudget &left, bool &gave_up,
            FoldStory &story);

} // namespace sartor::specialize

#endif

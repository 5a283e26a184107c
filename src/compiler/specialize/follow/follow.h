// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLLOW_FOLLOW_H
#define SARTOR_COMPILER_SPECIALIZE_FOLLOW_FOLLOW_H

#include <llvm/IR/Function.h>

#include "compiler/specialize/fold/evaluate.h"
#include "compiler/specialize/fold/fold_recorder.h"

namespace sartor::compiler {

/// Limits on the copies made in one function, in all rounds together. With more, compiling would
/// take seconds.
struct FollowBudget {
  unsigned instructions = 20000;
  unsigned nodes = 6000;
  unsigned edges = 20000; ///< From a sartor_one_of() to its possible values.
};

/// The loops that could not be followed as a whole, in all rounds together.
struct FollowLimits {
  bool gave_up = false;
  unsigned copies_in_part = 0; ///< Copied blocks of what was followed in part.
  llvm::DebugLoc place = {};   ///< Of a loop that has met a limit, where it is known.
};

/// Folds values computed from invariant memory in a function, and *follows* its loops over such
/// memory: the value that steers a loop (the cursor of a list, the program counter of an
/// interpreter) is known on entry and computed from iteration to iteration; the blocks of the loop
/// are copied for each value that it takes. If it takes a value again, control branches to the
/// existing copy, so that a loop in a guest program becomes a loop. If it cannot be computed,
/// control branches to the generic loop, which is kept. This is polyvariant partial evaluation,
/// keyed by the values of the steering phi nodes (the idea of C. Fallin and M. Bernstein, "Partial
/// Evaluation, Whole-Program Compilation", PLDI 2025, where the interpreter names its key itself).
///
/// Copies are bounded. Beyond the limit, the steering phi node with most values is given up; or, if
/// an interpreter dispatches by it, the loop is followed in program order as far as the budget
/// allows, and control continues in the generic loop. Returns true if anything was folded, and
/// deducts the copies from the budget. `is_first`: in this round, a function with a sartor_one_of()
/// is only folded, not followed.
bool follow(llvm::Function &function, Evaluator &evaluator, FollowBudget &left, FollowLimits &met,
            FoldRecorder &report, bool is_first);

} // namespace sartor::compiler

#endif

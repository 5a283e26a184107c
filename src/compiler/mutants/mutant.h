// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_MUTANTS_MUTANT_H
#define SARTOR_COMPILER_MUTANTS_MUTANT_H

#include <functional>
#include <optional>
#include <span>
#include <string>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "base/result.h"
#include "compiler/specialize/blocks.h"

namespace sartor::compiler {

/// A change of the code; empty if there is none.
using Change = std::function<void()>;

/// The analyses of a function that kinds use.
struct Analyzed {
  const llvm::DominatorTree &dominators;
  const llvm::LoopInfo &loops;
  llvm::AAResults &aliases;
  const Blocks &likely;
  bool has_vectors;
};

/// A kind of miscompilation. A place of the kind is an instruction for which it has a change. Code
/// behind branches marked unlikely, such as that of side exits, has no places.
struct MutantKind {
  enum class Stage : unsigned char {
    memory, ///< Invariant memory, before specialization.
    first,  ///< Before the passes.
    last,   ///< After the passes.
  };

  const char *pass; ///< The name of its pass: "mutant " and the name of the kind.
  Stage stage;
  Change (*change)(llvm::Instruction &place, const Analyzed &analyzed); ///< Null for Stage::memory.

  [[nodiscard]] llvm::StringRef name() const;
};

std::span<const MutantKind> mutant_kinds();

/// A place of a kind, in the order of the code: SARTOR_MUTANT=kind[:n].
struct Mutant {
  const MutantKind *kind;
  std::uint64_t place = 0;

  [[nodiscard]] std::string text() const;
};

/// Nothing if the environment names no mutant. Fails with bad_argument.
Result<std::optional<Mutant>> mutant_in_environment();

/// Reports on standard error what a mutant has changed, or that it has changed nothing.
void report_mutant(const Mutant &mutant, const std::string &what);

// Constants and operations.
Change constant_off(llvm::Instruction &place, const Analyzed &analyzed);
Change sign_lost(llvm::Instruction &place, const Analyzed &analyzed);
Change signedness(llvm::Instruction &place, const Analyzed &analyzed);
Change shift_off(llvm::Instruction &place, const Analyzed &analyzed);
Change select_swapped(llvm::Instruction &place, const Analyzed &analyzed);
Change trunc_narrow(llvm::Instruction &place, const Analyzed &analyzed);
Change mask_changed(llvm::Instruction &place, const Analyzed &analyzed);
Change float_reassociated(llvm::Instruction &place, const Analyzed &analyzed);
Change lanes_swapped(llvm::Instruction &place, const Analyzed &analyzed);
// Memory.
Change store_dropped(llvm::Instruction &place, const Analyzed &analyzed);
Change stale_load(llvm::Instruction &place, const Analyzed &analyzed);
Change escaped_local(llvm::Instruction &place, const Analyzed &analyzed);
Change null_load(llvm::Instruction &place, const Analyzed &analyzed);
Change memcpy_short(llvm::Instruction &place, const Analyzed &analyzed);
// Control flow.
Change branch_inverted(llvm::Instruction &place, const Analyzed &analyzed);
Change guard_removed(llvm::Instruction &place, const Analyzed &analyzed);
Change loop_short(llvm::Instruction &place, const Analyzed &analyzed);
Change argument_replaced(llvm::Instruction &place, const Analyzed &analyzed);
Change phi_swapped(llvm::Instruction &place, const Analyzed &analyzed);
Change infinite_loop(llvm::Instruction &place, const Analyzed &analyzed);
Change unreachable(llvm::Instruction &place, const Analyzed &analyzed);

} // namespace sartor::compiler

#endif

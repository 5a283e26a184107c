// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "homes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "compiler/frontend/goto_labels.h"
#include "compiler/frontend/marks.h"
#include "compiler/frontend/native_only.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Labels, file names, lists of choices: gone when the marks are. (What a list of choices points to
// is code's.)
bool belongs_to_marks(const GlobalVariable &variable) {
  return all_of(variable.users(), [](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    return instruction && compiler::is_mark(*instruction);
  });
}

// A table of labels goes with the copy of the code whose labels they are. Code that lets one out of
// the function is native only (compiler/frontend/native_only.h).
bool belongs_to_code(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && variable.hasInitializer() &&
         compiler::holds_labels(*variable.getInitializer());
}

// A table that the optimiser has made of a switch is read where it stands.
bool belongs_to_optimiser(const GlobalVariable &variable, const GlobalValue *original) {
  return !original && variable.hasLocalLinkage() && variable.isConstant();
}

// What a table of another file names may be out of this one's reach.
bool has_known_contents(const GlobalVariable &variable, const GlobalValue *original) {
  return variable.isConstant() && variable.hasDefinitiveInitializer() &&
         ((original && !original->isDeclarationForLinker()) ||
          !variable.getInitializer()->needsRelocation());
}

// What is called from several places is most of a large file, and each variant would have a copy of
// all that it leads to. Of what is called once, native code has nothing left, unless it is large,
// or must be called; and where that is rare, compiling it again is wasted.
constexpr unsigned kWorthSharing = 40;
constexpr unsigned kLarge = 200;

bool is_shared(const Function &function) {
  const unsigned size = function.getInstructionCount();
  const bool is_rare =
      function.hasFnAttribute(Attribute::Cold) && function.hasFnAttribute(Attribute::NoInline);
  return is_rare || size > kLarge || (size > kWorthSharing && function.hasNUsesOrMore(2));
}

} // namespace

Home home_of(const GlobalVariable &variable, const GlobalValue *original) {
  if (variable.hasLocalLinkage() && variable.isConstant() && belongs_to_marks(variable))
    return Home::variant;
  if (belongs_to_code(variable) || belongs_to_optimiser(variable, original))
    return Home::variant;
  return has_known_contents(variable, original) ? Home::native_with_contents : Home::native;
}

Home home_of(const Function &function, bool is_specialized_along) {
  if (function.isDeclaration())
    return Home::native;
  const bool can_be_reached_otherwise = !function.hasLocalLinkage() || function.hasAddressTaken() ||
                                        function.hasFnAttribute(compiler::kFoldAttribute) ||
                                        !compiler::native_only_reason(function).empty();
  return can_be_reached_otherwise || (!is_specialized_along && is_shared(function))
             ? Home::native_with_contents
             : Home::variant;
}

} // namespace sartor::compiler

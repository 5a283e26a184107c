// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "homes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/goto_labels.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// True for labels, file names and lists of choices, which disappear with the marks. (Objects that a
// list of choices points to belong to code.)
bool belongs_to_marks(const GlobalVariable &variable) {
  return all_of(variable.users(), [](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    return instruction && compiler::is_mark(*instruction);
  });
}

// A table of labels moves with the copy of the code that contains the labels. Code that lets a
// label out of its function is native only (compiler/frontend/analysis/native_only.h).
bool belongs_to_code(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && variable.hasInitializer() &&
         compiler::holds_labels(*variable.getInitializer());
}

// A table that the optimizer has made from a switch belongs to the code that reads it.
bool belongs_to_optimiser(const GlobalVariable &variable, const GlobalValue *original) {
  return !original && variable.hasLocalLinkage() && variable.isConstant();
}

// A table of another file may refer to symbols that are not accessible in this one.
bool has_known_contents(const GlobalVariable &variable, const GlobalValue *original) {
  return variable.isConstant() && variable.hasDefinitiveInitializer() &&
         ((original && !original->isDeclarationForLinker()) ||
          !variable.getInitializer()->needsRelocation());
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
  return can_be_reached_otherwise || (!is_specialized_along && compiler::is_worth_sharing(function))
             ? Home::native_with_contents
             : Home::variant;
}

} // namespace sartor::compiler

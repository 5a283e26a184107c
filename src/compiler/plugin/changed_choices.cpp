// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/changed_choices.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/SmallString.h>

namespace sartor::compiler {

using namespace clang;

namespace {

constexpr const char *kChoices = "sartor_c_"; // the list that the macros of points.h make

// True if a number is the same in the point's type. A negative number stands for a large unsigned
// one, as in C: -1 for the largest.
bool is_kept(const llvm::APSInt &given, const llvm::APSInt &kept) {
  return llvm::APSInt::isSameValue(given, kept) ||
         (given.isNegative() && kept.isUnsigned() && given.isSignedIntN(kept.getBitWidth()));
}

bool is_kept(const llvm::APFloat &given, const llvm::APSInt &kept) {
  llvm::APSInt whole(kept.getBitWidth(), kept.isUnsigned());
  bool is_exact = false;
  given.convertToInteger(whole, llvm::APFloat::rmTowardZero, &is_exact);
  return is_exact || given.isZero();
}

} // namespace

void warn_of_changed_choices(const VarDecl &variable, DiagnosticsEngine &diagnostics) {
  const auto *list =
      variable.getIdentifier() && variable.getName() == kChoices && variable.getInit()
          ? dyn_cast<InitListExpr>(variable.getInit())
          : nullptr;
  if (!list)
    return;
  const ASTContext &ast = variable.getASTContext();
  for (const Expr *choice : list->inits()) {
    const auto *conversion = dyn_cast<ImplicitCastExpr>(choice);
    Expr::EvalResult given, kept;
    if (!conversion || !choice->getType()->isIntegerType() || choice->getType()->isBooleanType() ||
        !conversion->getSubExpr()->EvaluateAsRValue(given, ast) ||
        !choice->EvaluateAsRValue(kept, ast) || !kept.Val.isInt())
      continue;
    const llvm::APSInt &number = kept.Val.getInt();
    llvm::SmallString<32> written;
    if (given.Val.isInt() && !is_kept(given.Val.getInt(), number))
      given.Val.getInt().toString(written);
    else if (given.Val.isFloat() && !is_kept(given.Val.getFloat(), number))
      given.Val.getFloat().toString(written);
    if (written.empty())
      continue;
    const unsigned kind = diagnostics.getCustomDiagID(
        DiagnosticsEngine::Warning,
        "sartor: bad_choices: %0 does not fit the point's type %1, and becomes %2 (list a value of "
        "this type, or convert it by a cast)");
    llvm::SmallString<32> result;
    number.toString(result);
    diagnostics.Report(choice->getExprLoc(), kind)
        << written << choice->getType().getCanonicalType() << result;
  }
}

} // namespace sartor::compiler

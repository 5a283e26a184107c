// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/mark_writer.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/Builtins.h>

#include "compiler/plugin/write_guards/watch_table.h"

namespace sartor::compiler {

using namespace clang;

Expr *MarkWriter::mark_pointer(Expr &pointer, unsigned number, bool may_be_constant) {
  const SourceLocation place = pointer.getExprLoc();
  const QualType type = pointer.getType();
  Expr *which = IntegerLiteral::Create(
      ast_, llvm::APInt(ast_.getIntWidth(ast_.UnsignedIntTy), number), ast_.UnsignedIntTy, place);
  Expr *marked =
      cast(*call(mark(), {cast(pointer, ast_.VoidPtrTy), which}, CK_FunctionToPointerDecay, place),
           type);
  if (!may_be_constant)
    return marked;
  Expr *constant = call(is_constant_evaluated(), {}, CK_BuiltinFnToFnPtr, place);
  return new (ast_)
      ConditionalOperator(constant, place, &pointer, place, marked, type, VK_PRValue, OK_Ordinary);
}

Expr *MarkWriter::mark_object(Expr &object, unsigned number, bool may_be_constant) {
  const SourceLocation place = object.getExprLoc();
  const QualType type = object.getType();
  Expr *address =
      UnaryOperator::Create(ast_, &object, UO_AddrOf, ast_.getPointerType(type), VK_PRValue,
                            OK_Ordinary, place, /*CanOverflow=*/false, FPOptionsOverride());
  return UnaryOperator::Create(ast_, mark_pointer(*address, number, may_be_constant), UO_Deref,
                               type, VK_LValue, OK_Ordinary, place, /*CanOverflow=*/false,
                               FPOptionsOverride());
}

Expr *MarkWriter::cast(Expr &pointer, QualType type) {
  const SourceLocation place = pointer.getExprLoc();
  return CStyleCastExpr::Create(ast_, type, VK_PRValue, CK_BitCast, &pointer, nullptr,
                                FPOptionsOverride(), ast_.getTrivialTypeSourceInfo(type, place),
                                place, place);
}

Expr *MarkWriter::call(FunctionDecl &function, llvm::ArrayRef<Expr *> arguments, CastKind decay,
                       SourceLocation place) {
  const bool is_builtin = decay == CK_BuiltinFnToFnPtr;
  Expr *name =
      DeclRefExpr::Create(ast_, NestedNameSpecifierLoc(), SourceLocation(), &function,
                          /*RefersToEnclosingVariableOrCapture=*/false, place,
                          is_builtin ? ast_.BuiltinFnTy : function.getType(),
                          is_builtin || !ast_.getLangOpts().CPlusPlus ? VK_PRValue : VK_LValue);
  Expr *called = ImplicitCastExpr::Create(ast_, ast_.getPointerType(function.getType()), decay,
                                          name, nullptr, VK_PRValue, FPOptionsOverride());
  return CallExpr::Create(ast_, called, arguments, function.getReturnType(), VK_PRValue, place,
                          FPOptionsOverride());
}

FunctionDecl &MarkWriter::declare(StringRef name, QualType result,
                                  llvm::ArrayRef<QualType> parameters) {
  FunctionProtoType::ExtProtoInfo info;
  if (ast_.getLangOpts().CPlusPlus)
    info.ExceptionSpec.Type = EST_BasicNoexcept;
  const QualType type = ast_.getFunctionType(result, parameters, info);
  auto *function = FunctionDecl::Create(ast_, ast_.getTranslationUnitDecl(), SourceLocation(),
                                        SourceLocation(), &ast_.Idents.get(name), type,
                                        ast_.getTrivialTypeSourceInfo(type), SC_Extern);
  SmallVector<ParmVarDecl *> declared;
  for (const QualType parameter : parameters)
    declared.push_back(ParmVarDecl::Create(ast_, function, SourceLocation(), SourceLocation(),
                                           nullptr, parameter, nullptr, SC_None, nullptr));
  function->setParams(declared);
  function->addAttr(NoThrowAttr::CreateImplicit(ast_));
  function->setImplicit();
  return *function;
}

FunctionDecl &MarkWriter::mark() {
  if (!mark_) {
    mark_ = &declare(kMarkFunction, ast_.VoidPtrTy, {ast_.VoidPtrTy, ast_.UnsignedIntTy});
    mark_->addAttr(AsmLabelAttr::CreateImplicit(ast_, kMarkFunction));
  }
  return *mark_;
}

FunctionDecl &MarkWriter::is_constant_evaluated() {
  if (!is_constant_evaluated_) {
    is_constant_evaluated_ = &declare("__builtin_is_constant_evaluated", ast_.BoolTy, {});
    is_constant_evaluated_->addAttr(
        BuiltinAttr::CreateImplicit(ast_, Builtin::BI__builtin_is_constant_evaluated));
  }
  return *is_constant_evaluated_;
}

} // namespace sartor::compiler

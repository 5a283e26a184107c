// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/automatic_handlers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/xxhash.h>
#include <llvm/TargetParser/Triple.h>

#include "compiler/plugin/declared/declared_table.h"

namespace sartor::compiler {

using namespace clang;

namespace {

/// Records the global variables that a function names.
class VariableVisitor final : public RecursiveASTVisitor<VariableVisitor> {
public:
  explicit VariableVisitor(llvm::SmallPtrSetImpl<const VarDecl *> &to) : to_(to) {}

  // The base class calls it by its name.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method)
  bool VisitDeclRefExpr(DeclRefExpr *name) {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl());
        variable && variable->hasGlobalStorage())
      to_.insert(variable->getCanonicalDecl());
    return true;
  }

private:
  llvm::SmallPtrSetImpl<const VarDecl *> &to_;
};

bool is_marked(const FunctionDecl &function) {
  return llvm::any_of(function.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *attr) {
    return attr->getAnnotation().starts_with("sartor.");
  });
}

bool is_signed(QualType type) {
  return type->isIntegralOrEnumerationType() && type->isSignedIntegerOrEnumerationType();
}

/// True for values that may be quasi-constant, and that a point can have. Pointers to objects
/// rarely are.
bool may_be_point(QualType type, const ASTContext &ast) {
  if (type.isVolatileQualified())
    return false;
  if (type->isIntegralOrEnumerationType())
    return ast.getIntWidth(type) <= 64;
  return type->isFunctionPointerType() || type->isSpecificBuiltinType(BuiltinType::Float) ||
         type->isSpecificBuiltinType(BuiltinType::Double);
}

bool is_lambda(const FunctionDecl &function) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  return method && method->getParent()->isLambda();
}

} // namespace

AutomaticTable &AutomaticTable::of_this_file() {
  static AutomaticTable table;
  return table;
}

AutomaticHandlers &AutomaticHandlers::of_this_file() {
  static AutomaticHandlers handlers;
  return handlers;
}

void AutomaticHandlers::begin(CompilerInstance &compiler,
                              const std::vector<std::string> &functions) {
  *this = AutomaticHandlers();
  compiler_ = &compiler;
  for (const std::string &function : functions)
    functions_.insert(function);
  AutomaticTable &table = AutomaticTable::of_this_file();
  table = {};
  table.remark = [&compiler](const AutomaticTable::Handler &handler, const std::string &text) {
    auto &diagnostics = compiler.getDiagnostics();
    const unsigned kind =
        diagnostics.getCustomDiagID(DiagnosticsEngine::Remark, "sartor: not_automatic: \"%0\": %1");
    SourceLocation location = SourceLocation::getFromRawEncoding(handler.location);
    // clang shows no remark in a system header.
    if (location.isValid() && compiler.getSourceManager().isInSystemHeader(location))
      location = {};
    diagnostics.Report(location, kind) << handler.name << text;
  };
}

void AutomaticHandlers::look_at(FunctionDecl &function) {
  if (functions_.empty() || !function.doesThisDeclarationHaveABody() ||
      function.isDependentContext() || function.isImplicit() || !seen_.insert(&function).second)
    return;
  // A constructor or destructor has several symbols.
  ASTNameGenerator names(compiler_->getASTContext());
  std::vector<std::string> symbols;
  if (isa<CXXConstructorDecl, CXXDestructorDecl>(function))
    symbols = names.getAllManglings(&function);
  else
    symbols = {names.getName(&function)};
  const bool is_listed =
      functions_.contains(function.getQualifiedNameAsString()) ||
      llvm::any_of(symbols, [&](const std::string &symbol) { return functions_.contains(symbol); });
  if (is_listed && !symbols.empty() && !is_marked(function))
    convert(function, symbols.front());
}

void AutomaticHandlers::convert(FunctionDecl &function, const std::string &symbol) {
  AutomaticTable &table = AutomaticTable::of_this_file();
  AutomaticTable::Handler handler;
  handler.name = StringRef(symbol).ltrim('\1').str();
  handler.location = function.getLocation().getRawEncoding();
  if (const std::string reason = why_not(function); !reason.empty())
    return table.remark(handler, reason);
  // Functions with internal linkage of different files are different handlers.
  handler.label = "auto." + handler.name + (function.isExternallyVisible() ? "" : file_suffix());
  handler.is_shared = function.isExternallyVisible() &&
                      (function.isInlined() || function.isTemplateInstantiation());
  for (ParmVarDecl *parameter : function.parameters())
    add_point(*parameter, handler);

  llvm::SmallPtrSet<const VarDecl *, 16> variables;
  VariableVisitor(variables).TraverseStmt(function.getBody());
  ASTNameGenerator names(compiler_->getASTContext());
  for (const VarDecl *variable : variables)
    handler.variables[names.getName(variable)] = {
        variable->getNameAsString(), place_of(variable->getLocation()),
        is_signed(variable->getType()), variable->getType()->isBooleanType()};

  // As SARTOR_HANDLER_DIRECT, but not kept if the file does not use it.
  annotate(function, kAutomaticAnnotation + std::to_string(table.handlers.size()));
  annotate(function, "sartor.direct");
  annotate(function, "sartor.handler");
  table.handlers.push_back(std::move(handler));
}

void AutomaticHandlers::add_point(ParmVarDecl &parameter, AutomaticTable::Handler &handler) {
  const QualType type = parameter.getType();
  // A macro like assert() may use it in another file.
  const bool is_used = handler.is_shared || parameter.isUsed() || parameter.isReferenced();
  if (parameter.getName().empty() || !is_used || !may_be_point(type, compiler_->getASTContext()))
    return;
  // The parameters of a pack have one name.
  std::string label = handler.label + "." + parameter.getNameAsString();
  if (std::ranges::find(handler.labels, label) != handler.labels.end())
    label += "." + std::to_string(parameter.getFunctionScopeIndex());
  auto &points = DeclaredTable::of_this_file().points;
  annotate(parameter, kParameterAnnotation + std::to_string(points.size()));
  handler.labels.push_back(label);
  points.push_back({.label = std::move(label),
                    .kind = kGeneric,
                    .is_signed = is_signed(type),
                    .is_bool = type->isBooleanType(),
                    .choices = {},
                    .place = place_of(parameter.getLocation())});
}

std::string AutomaticHandlers::why_not(const FunctionDecl &function) const {
  const llvm::Triple &target = compiler_->getTarget().getTriple();
  if (target.getArch() != llvm::Triple::x86_64 || !target.isOSBinFormatELF())
    return "direct calls go to variants on x86-64 only";
  if (function.isMain())
    return "is called once";
  if (isa<CXXConstructorDecl, CXXDestructorDecl>(function))
    return "is a constructor or destructor, which has several symbols";
  if (function.getBuiltinID() != 0 || function.isReplaceableGlobalAllocationFunction())
    return "is in place of one of the C or C++ library, which Sartor itself calls";
  if (function.isVariadic())
    return "takes a variable number of arguments, which code in between cannot pass on";
  if (function.getNumParams() > 0 && !function.hasPrototype())
    return "is defined without a prototype";
  if (function.hasAttr<NakedAttr>())
    return "is naked: what its arguments are is not known";
  if (isa_and_nonnull<CoroutineBodyStmt>(function.getBody()))
    return "is a coroutine";
  if (function.isConsteval() || (function.isConstexpr() && !is_lambda(function)))
    return "is constexpr: the compiler evaluates it, or inlines it";
  if (function.hasAttr<AlwaysInlineAttr>())
    return "is always inlined";
  if (function.hasAttr<WeakAttr>())
    return "is weak: another definition may replace it";
  if (function.isMultiVersion())
    return "has several versions for different processors";
  if (function.hasAttr<ReturnsTwiceAttr>())
    return "returns twice";
  if (function.getType()->castAs<FunctionType>()->getCallConv() != CC_C)
    return "has a calling convention of its own";
  return "";
}

std::string AutomaticHandlers::file_suffix() const {
  const SourceManager &sources = compiler_->getSourceManager();
  const auto file = sources.getFileEntryRefForID(sources.getMainFileID());
  // The content, not the path, which differs on each machine. One file may be compiled twice with
  // different definitions.
  std::string text = sources.getBufferData(sources.getMainFileID()).str();
  for (const auto &[macro, is_undefined] : compiler_->getPreprocessorOpts().Macros)
    text += '\0' + macro + (is_undefined ? "-" : "+");
  const std::string hash = llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
  return "@" + (file ? llvm::sys::path::filename(file->getName()).str() : "") + "-" +
         hash.substr(0, 8);
}

SourcePlace AutomaticHandlers::place_of(SourceLocation location) const {
  const SourceManager &sources = compiler_->getSourceManager();
  const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  return place.isValid() ? SourcePlace{place.getFilename(), place.getLine()} : SourcePlace{};
}

void AutomaticHandlers::annotate(Decl &declaration, const std::string &text) const {
  declaration.addAttr(AnnotateAttr::CreateImplicit(compiler_->getASTContext(), text, nullptr, 0));
}

} // namespace sartor::compiler

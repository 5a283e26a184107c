// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>
#include <string>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include "source_names.h"

/// \file
/// The plugin action behind `sartor declare FILE:FUNCTION`: writes a draft of declarations to
/// standard output that compiles without changes.

namespace sartor::compiler {

using namespace clang;

namespace {

/// The global variables and fields that the functions of a file read and write, by name, as far as
/// the source shows. A variable whose address is taken counts as written.
class Accesses {
public:
  struct Write {
    const clang::FunctionDecl *function;
    clang::SourceLocation place;
  };
  struct Function {
    llvm::SetVector<const clang::ValueDecl *> reads;
    llvm::SetVector<const clang::FunctionDecl *> calls; ///< Definitions only.
  };

  explicit Accesses(clang::ASTContext &ast);

  /// Returns the function, followed by the functions that it calls in this file.
  [[nodiscard]] std::vector<const clang::FunctionDecl *>
  reached_from(const clang::FunctionDecl &function) const;
  [[nodiscard]] const Function *of(const clang::FunctionDecl &function) const;
  [[nodiscard]] llvm::ArrayRef<Write> writes_to(const clang::ValueDecl &memory) const;
  [[nodiscard]] std::vector<const clang::FunctionDecl *> functions() const;

private:
  friend class AccessVisitor;
  llvm::MapVector<const clang::FunctionDecl *, Function> functions_;
  llvm::MapVector<const clang::ValueDecl *, std::vector<Write>> writes_;
};

/// Returns the field or global variable that an lvalue names; null if it is neither.
const ValueDecl *named(const Expr &expression) {
  const Expr *at = expression.IgnoreParenImpCasts();
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(at))
    return named(*element->getBase());
  if (const auto *member = dyn_cast<MemberExpr>(at)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    return field && field->getIdentifier() ? field : nullptr;
  }
  const auto *name = dyn_cast<DeclRefExpr>(at);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->isFileVarDecl() ? variable->getCanonicalDecl() : nullptr;
}

class AccessVisitor final : public RecursiveASTVisitor<AccessVisitor> {
public:
  explicit AccessVisitor(Accesses &to) : to_(to) {}

  // The base class calls these by their names.
  // NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
  bool TraverseFunctionDecl(FunctionDecl *function) {
    if (!function->doesThisDeclarationHaveABody())
      return true;
    function_ = function;
    to_.functions_[function]; // creates a record also for a function without accesses
    const bool goes_on = RecursiveASTVisitor::TraverseFunctionDecl(function);
    function_ = nullptr;
    return goes_on;
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *method) { return TraverseFunctionDecl(method); }

  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) {
    if (cast->getCastKind() == CK_LValueToRValue)
      read(*cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *operation) {
    if (operation->isCompoundAssignmentOp())
      read(*operation->getLHS());
    if (operation->isAssignmentOp())
      write(*operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *operation) {
    if (operation->isIncrementDecrementOp())
      read(*operation->getSubExpr());
    if (operation->isIncrementDecrementOp() || operation->getOpcode() == UO_AddrOf)
      write(*operation->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) {
    const FunctionDecl *called = call->getDirectCallee();
    if (function_ && called && called->getDefinition())
      to_.functions_[function_].calls.insert(called->getDefinition());
    return true;
  }
  // NOLINTEND(bugprone-derived-method-shadowing-base-method)

private:
  void read(const Expr &expression) {
    if (const ValueDecl *memory = named(expression); memory && function_)
      to_.functions_[function_].reads.insert(memory);
  }
  void write(const Expr &expression) {
    if (const ValueDecl *memory = named(expression); memory && function_)
      to_.writes_[memory].push_back({function_, expression.getExprLoc()});
  }

  Accesses &to_;
  const FunctionDecl *function_ = nullptr;
};

Accesses::Accesses(ASTContext &ast) {
  AccessVisitor(*this).TraverseDecl(ast.getTranslationUnitDecl());
}

std::vector<const FunctionDecl *> Accesses::reached_from(const FunctionDecl &function) const {
  llvm::SetVector<const FunctionDecl *> reached;
  reached.insert(&function);
  for (unsigned i = 0; i < reached.size(); ++i)
    if (const Function *known = of(*reached[i]))
      reached.insert(known->calls.begin(), known->calls.end());
  return {reached.begin(), reached.end()};
}

const Accesses::Function *Accesses::of(const FunctionDecl &function) const {
  const auto *found = functions_.find(&function);
  return found != functions_.end() ? &found->second : nullptr;
}

llvm::ArrayRef<Accesses::Write> Accesses::writes_to(const ValueDecl &memory) const {
  const auto *found = writes_.find(&memory);
  return found != writes_.end() ? llvm::ArrayRef(found->second) : llvm::ArrayRef<Write>();
}

std::vector<const FunctionDecl *> Accesses::functions() const {
  std::vector<const FunctionDecl *> all;
  for (const auto &[function, accesses] : functions_)
    all.push_back(function);
  return all;
}

/// Returns a TOML key.
std::string key(const std::string &name) {
  const bool is_bare = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '-';
  });
  return is_bare ? name : "'" + name + "'";
}

class Draft {
public:
  Draft(ASTContext &ast, const FunctionDecl &handler)
      : ast_(ast), handler_(handler), accesses_(ast) {}

  void write(llvm::raw_ostream &out) {
    const std::string name = handler_.getQualifiedNameAsString();
    out << "# A first draft, by `sartor declare`: leave out what does not matter.\n"
        << "[handler." << key(name) << "]\n"
        << "direct = true\n";
    if (llvm::count_if(accesses_.functions(), [&](const FunctionDecl *function) {
          return function->getQualifiedNameAsString() == name;
        }) > 1)
      out << "# There are several of this name: what is said of parameters holds for all of "
             "them.\n";
    else
      write_parameters(out);
    llvm::SetVector<const ValueDecl *> reads;
    for (const FunctionDecl *function : accesses_.reached_from(handler_))
      if (const auto *known = accesses_.of(*function))
        reads.insert(known->reads.begin(), known->reads.end());
    for (const ValueDecl *memory : reads)
      write_memory(out, *memory);
  }

private:
  void write_parameters(llvm::raw_ostream &out) {
    for (const ParmVarDecl *parameter : handler_.parameters())
      if (parameter->getIdentifier()) {
        const std::string prefix = "parameter." + key(parameter->getNameAsString());
        out << prefix << ".is = \"dynamic\"\n"
            << prefix << ".type = '" << source_name(parameter->getType(), ast_) << "'\n";
      }
  }

  void write_memory(llvm::raw_ostream &out, const ValueDecl &memory) {
    std::string table = "variable." + key(memory.getQualifiedNameAsString());
    if (const auto *field = dyn_cast<FieldDecl>(&memory)) {
      const RecordDecl *record = field->getParent();
      while (record->isAnonymousStructOrUnion() && isa<RecordDecl>(record->getDeclContext()))
        record = cast<RecordDecl>(record->getDeclContext());
      if (record->isDependentContext() || !record->getDeclContext()->isFileContext())
        return;
      table = "field." + key(source_name(*record, ast_)) + "." + key(field->getNameAsString());
    } else if (memory.getType().isConstQualified() || !is_defined_here(cast<VarDecl>(memory))) {
      return;
    }
    bool is_written_inside = false;
    std::string where;
    for (const auto &[function, place] : accesses_.writes_to(memory)) {
      is_written_inside |= llvm::is_contained(accesses_.reached_from(handler_), function);
      where += (where.empty() ? "" : ", ") + text_of(place) + " in " +
               function->getQualifiedNameAsString() + "()";
    }
    out << "\n# Read; " << (where.empty() ? "not written in this file." : "written at " + where)
        << "\n[" << table << "]\n"
        << "is = \"" << (is_written_inside ? "dynamic" : "quasi-invariant") << "\"\n"
        << "type = '" << source_name(memory.getType(), ast_) << "'\n";
  }

  static bool is_defined_here(const VarDecl &variable) {
    return variable.hasDefinition(variable.getASTContext()) != VarDecl::DeclarationOnly &&
           variable.getTLSKind() == VarDecl::TLS_None;
  }

  std::string text_of(SourceLocation location) {
    const SourceManager &sources = ast_.getSourceManager();
    const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
    return place.isValid()
               ? std::string(place.getFilename()) + ":" + std::to_string(place.getLine())
               : "?";
  }

  ASTContext &ast_;
  const FunctionDecl &handler_;
  const Accesses accesses_;
};

class DraftConsumer final : public ASTConsumer {
public:
  DraftConsumer(CompilerInstance &compiler, std::string function)
      : compiler_(compiler), function_(std::move(function)) {}

  void HandleTranslationUnit(ASTContext &ast) override {
    if (compiler_.getDiagnostics().hasErrorOccurred())
      return;
    for (const FunctionDecl *function : Accesses(ast).functions())
      if (function->getQualifiedNameAsString() == function_ && !function->isDependentContext())
        return Draft(ast, *function).write(llvm::outs());
    auto &diagnostics = compiler_.getDiagnostics();
    diagnostics.Report(diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "sartor: no function \"%0\" is defined in this file"))
        << function_;
  }

private:
  CompilerInstance &compiler_;
  const std::string function_;
};

class DraftAction final : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    return std::make_unique<DraftConsumer>(compiler, function_);
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &words) override {
    function_ = words.empty() ? "" : words.front();
    return true;
  }
  ActionType getActionType() override { return CmdlineBeforeMainAction; }

private:
  std::string function_;
};

// NOLINTNEXTLINE(cert-err58-cpp): how clang finds it
const FrontendPluginRegistry::Add<DraftAction>
    draft_registration("sartor-draft", "writes a draft of declarations aside from the source");

} // namespace

} // namespace sartor::compiler

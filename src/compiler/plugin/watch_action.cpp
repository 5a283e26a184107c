// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The front end's half of guarding stores to watched fields: before code is generated for a
/// function, expressions by which it may change a watched field are marked. See watch_table.h.

#include <memory>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

#include "declarer.h"
#include "mark_places.h"

namespace sartor::compiler {

using namespace clang;

namespace {

class WatchConsumer final : public ASTConsumer {
public:
  explicit WatchConsumer(CompilerInstance &compiler) : compiler_(compiler) {
    WatchTable::of_this_file() = {};
    WatchTable::of_this_file().is_written = true;
  }

  void Initialize(ASTContext &ast) override {
    marker_ = std::make_unique<PlaceMarker>(ast, WatchTable::of_this_file());
  }
  void HandleTagDeclDefinition(TagDecl *tag) override {
    auto *record = dyn_cast<RecordDecl>(tag);
    if (record && !record->isDependentType() && !is_within_unfinished(*record))
      see(*record);
  }
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *declaration : group)
      look_at(*declaration);
    return true;
  }
  void HandleCXXStaticMemberVarInstantiation(VarDecl *variable) override { look_at(*variable); }
  // What the compiler writes itself is not announced.
  void HandleTranslationUnit(ASTContext &) override {
    for (RecordDecl *record : records_)
      look_at(*record);
    marker_->finish();
  }

private:
  /// What has no name gets the surrounding record's.
  static bool is_within_unfinished(const RecordDecl &record) {
    const auto *outer = dyn_cast<RecordDecl>(record.getLexicalDeclContext());
    return outer && !outer->isCompleteDefinition();
  }

  void see(RecordDecl &record) {
    Declarer::of_this_file().look_at(record);
    check(record);
    for (Decl *declaration : record.decls())
      if (auto *inner = dyn_cast<RecordDecl>(declaration);
          inner && inner->isThisDeclarationADefinition() && !inner->isDependentType())
        see(*inner);
    marker_->declare(record);
    records_.push_back(&record);
  }

  void look_at(Decl &declaration) {
    if (compiler_.getDiagnostics().hasErrorOccurred())
      return;
    if (auto *variable = dyn_cast<VarDecl>(&declaration))
      look_at_variable(*variable);
    if (isa<FunctionDecl>(declaration) && WatchedFields::is_watched(declaration))
      return refuse(declaration, "SARTOR_WATCHED is for fields and variables");
    if (WatchTable::of_this_file().fields.empty())
      return;
    if (auto *function = dyn_cast<FunctionDecl>(&declaration))
      return marker_->mark(*function);
    if (auto *variable = dyn_cast<VarDecl>(&declaration))
      return marker_->mark_initializer(*variable);
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, CXXRecordDecl>(declaration))
      for (Decl *inner : cast<DeclContext>(declaration).decls())
        look_at(*inner);
  }

  void look_at_variable(VarDecl &variable) {
    Declarer &declarer = Declarer::of_this_file();
    declarer.look_at(variable);
    if (!declarer.is_watched(variable) && !WatchedFields::is_watched(variable))
      return;
    if (variable.getType()->isReferenceType())
      return refuse(variable, "a reference cannot be watched: it never changes");
    if (!variable.hasGlobalStorage() || variable.getTLSKind() != VarDecl::TLS_None)
      return refuse(variable, "a variable of which there are many cannot be watched");
    marker_->declare(variable);
  }

  void check(const RecordDecl &record) {
    for (Decl *declaration : record.decls())
      if (auto *variable = dyn_cast<VarDecl>(declaration))
        look_at_variable(*variable);
    for (const FieldDecl *field : record.fields())
      if (field->getType()->isReferenceType() && WatchedFields::is_watched(*field))
        refuse(*field, "a reference cannot be watched: it never changes");
  }

  void refuse(const Decl &declaration, StringRef why) {
    auto &diagnostics = compiler_.getDiagnostics();
    const unsigned kind = diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "sartor: %0");
    diagnostics.Report(declaration.getLocation(), kind) << why;
  }

  CompilerInstance &compiler_;
  std::unique_ptr<PlaceMarker> marker_;
  std::vector<RecordDecl *> records_;
};

class WatchAction final : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    return std::make_unique<WatchConsumer>(compiler);
  }
  bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

// NOLINTNEXTLINE(cert-err58-cpp): how clang finds it
const FrontendPluginRegistry::Add<WatchAction> registration("sartor-watch",
                                                            "marks what may change watched fields");

} // namespace

} // namespace sartor::compiler

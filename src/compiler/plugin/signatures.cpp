// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The front-end half of the plugin (-fplugin=). It records how the parameters of handlers, and of
/// functions called at call points, become arguments of IR functions, which only clang's code
/// generation knows. The record is an annotation of the handler, or of the variable that receives
/// the call's result, and appears in llvm.global.annotations and llvm.var.annotation.
/// compiler/frontend/marks/parameters.h reads it. This half also warns of choices that their points
/// cannot hold.

#include <memory>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/CodeGenOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/CGFunctionInfo.h>
#include <clang/CodeGen/CodeGenABITypes.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/marks/parameters.h"
#include "compiler/plugin/declared/automatic_handlers.h"
#include "compiler/plugin/declared/declarer.h"
#include "compiler/plugin/halves.h"
#include "compiler/plugin/source_names.h"

namespace sartor::compiler {

using namespace clang;
using CodeGen::ABIArgInfo;
using core::Parameter;
using core::Signature;

namespace {

constexpr const char *kHandlerAnnotation = "sartor.handler";
constexpr const char *kCallResult = "sartor_r_"; // set by the macros of points.h

// LLVM before 22 makes code generators of a compiler's parts.
std::unique_ptr<CodeGenerator> make_generator(auto &compiler, llvm::LLVMContext &context) {
  constexpr const char *name = "sartor.signatures";
  if constexpr (requires { CreateLLVMCodeGen(compiler, name, context); })
    return CreateLLVMCodeGen(compiler, name, context);
  else
    return std::unique_ptr<CodeGenerator>(
        CreateLLVMCodeGen(compiler.getDiagnostics(), name, &compiler.getVirtualFileSystem(),
                          compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                          compiler.getCodeGenOpts(), context));
}

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

/// Warns of each choice of a point whose value the point's type cannot hold, such as 300 for an
/// unsigned char. C++ rejects such choices. C converts them, and clang does not warn of conversions
/// in the macros of a system header. Ignores variables that are not the choices of a point.
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

/// Queries a separate code generator, which generates no code, for the calling conventions of
/// functions.
class Lowering {
public:
  explicit Lowering(CompilerInstance &compiler)
      : ast_(compiler.getASTContext()), generator_(make_generator(compiler, context_)) {
    generator_->Initialize(ast_);
  }

  /// Returns nothing for functions with unsupported calling conventions.
  std::optional<Signature> signature_of(const FunctionDecl &function) {
    const CodeGen::CGFunctionInfo *lowered = arranged(function);
    if (!lowered)
      return std::nullopt;
    Signature signature;
    const ABIArgInfo &returned = lowered->getReturnInfo();
    const bool through_memory = returned.isIndirect();
    const unsigned result_argument = through_memory && returned.isSRetAfterThis() ? 1 : 0;
    if (through_memory && result_argument == 0)
      signature.arguments = 1;
    signature.result = described(lowered->getReturnType());
    if (through_memory) {
      signature.result.passing = Parameter::Passing::address;
      signature.result.pieces = {{result_argument, 0, signature.result.bytes}};
    }
    for (const auto &argument : lowered->arguments()) {
      auto parameter = passed(argument.type, argument.info, signature.arguments);
      if (!parameter)
        return std::nullopt;
      parameter->depends_on_others =
          !same_way(argument.info, alone(argument.type, lowered->getExtInfo()));
      signature.parameters.push_back(std::move(*parameter));
      if (signature.arguments == 1 && result_argument == 1)
        ++signature.arguments;
    }
    return signature;
  }

private:
  const CodeGen::CGFunctionInfo *arranged(const FunctionDecl &function) {
    auto &module = generator_->CGM();
    const CanQualType type = function.getType()->getCanonicalTypeUnqualified();
    if (const auto *method = dyn_cast<CXXMethodDecl>(&function);
        method && method->isImplicitObjectMemberFunction()) {
      if (isa<CXXConstructorDecl, CXXDestructorDecl>(method))
        return nullptr;
      return &CodeGen::arrangeCXXMethodType(module, method->getParent(),
                                            type.getTypePtr()->castAs<FunctionProtoType>(), method);
    }
    if (isa<FunctionProtoType>(type.getTypePtr()))
      return &CodeGen::arrangeFreeFunctionType(module, type.castAs<FunctionProtoType>());
    if (function.getNumParams() > 0) // declared without parameters
      return nullptr;
    return &CodeGen::arrangeFreeFunctionType(module, type.castAs<FunctionNoProtoType>());
  }

  // Returns how an argument of this type would be passed if all registers were free.
  const ABIArgInfo &alone(CanQualType type, FunctionType::ExtInfo how) {
    return CodeGen::arrangeFreeFunctionCall(generator_->CGM(), ast_.VoidTy, {type}, how,
                                            CodeGen::RequiredArgs::All)
        .arguments()
        .front()
        .info;
  }

  static bool same_way(const ABIArgInfo &a, const ABIArgInfo &b) {
    if (a.getKind() != b.getKind())
      return false;
    if (a.isIndirect())
      return a.getIndirectByVal() == b.getIndirectByVal();
    return !a.canHaveCoerceToType() || a.getCoerceToType() == b.getCoerceToType();
  }

  Parameter described(QualType type) const {
    Parameter result;
    if (type->isVoidType())
      return result;
    using Class = PointType::Class;
    result.bytes = static_cast<unsigned>(ast_.getTypeSizeInChars(type).getQuantity());
    result.kind = Parameter::Kind::scalar;
    QualType number = type;
    if (const auto *enumeration = enumeration_of(type))
      number = enumeration->getIntegerType();
    if (number->isBooleanType())
      result.type = {Class::boolean, 1, false};
    else if (number->isIntegralOrEnumerationType() && ast_.getIntWidth(number) <= 64)
      result.type = {Class::integer, ast_.getIntWidth(number), number->isSignedIntegerType()};
    else if (number->isSpecificBuiltinType(BuiltinType::Float) ||
             number->isSpecificBuiltinType(BuiltinType::Double))
      result.type = {Class::floating, result.bytes * 8, false};
    else if (number->isAnyPointerType() || number->isReferenceType() ||
             number->isBlockPointerType() || number->isNullPtrType())
      result.type = {Class::pointer, result.bytes * 8, false};
    else
      result.kind = Parameter::Kind::object;
    return result;
  }

  // `next`: the index of the first IR argument; advanced past the last one.
  std::optional<Parameter> passed(QualType type, const ABIArgInfo &info, unsigned &next) const {
    Parameter result = described(type);
    if (info.getPaddingType())
      ++next;
    switch (info.getKind()) {
    case ABIArgInfo::Ignore:
      return result;
    case ABIArgInfo::Direct:
    case ABIArgInfo::Extend:
      return add_pieces(result, info, next) ? std::optional(result) : std::nullopt;
    case ABIArgInfo::Indirect:
    case ABIArgInfo::IndirectAliased:
      result.passing = info.isIndirect() && info.getIndirectByVal() ? Parameter::Passing::copy
                                                                    : Parameter::Passing::address;
      result.pieces = {{next++, 0, result.bytes}};
      return result;
    default: // used on other machines
      return std::nullopt;
    }
  }

  bool add_pieces(Parameter &result, const ABIArgInfo &info, unsigned &next) const {
    const llvm::DataLayout &layout = generator_->GetModule()->getDataLayout();
    const auto add = [&](llvm::Type *type, unsigned offset) {
      const auto bytes = static_cast<unsigned>(layout.getTypeStoreSize(type).getFixedValue());
      const unsigned left = result.bytes > offset ? result.bytes - offset : 0;
      result.pieces.push_back({next++, offset, std::min(bytes, left)});
    };
    llvm::Type *type = info.getCoerceToType();
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(type);
        structure && info.isDirect() && info.getCanBeFlattened()) {
      const llvm::StructLayout *places = layout.getStructLayout(structure);
      for (unsigned i = 0; i < structure->getNumElements(); ++i)
        add(structure->getElementType(i),
            info.getDirectOffset() +
                static_cast<unsigned>(places->getElementOffset(i).getFixedValue()));
      return true;
    }
    if (type->isAggregateType())
      return false;
    add(type, info.getDirectOffset());
    return true;
  }

  ASTContext &ast_;
  llvm::LLVMContext context_;
  std::unique_ptr<CodeGenerator> generator_;
};

/// Processes each definition before code is generated for it.
class Annotator final : public ASTConsumer {
public:
  Annotator(CompilerInstance &compiler, std::vector<std::string> declarations,
            std::vector<std::string> hot_functions)
      : compiler_(compiler), declarations_(std::move(declarations)),
        hot_functions_(std::move(hot_functions)) {}

  void Initialize(ASTContext &) override {
    Declarer::of_this_file().begin(compiler_, declarations_);
    AutomaticHandlers::of_this_file().begin(compiler_, hot_functions_);
  }
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *declaration : group)
      look_at(*declaration);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *function) override { look_at(*function); }

private:
  void look_at(Decl &declaration) {
    if (auto *function = dyn_cast<FunctionDecl>(&declaration))
      return look_at_function(*function);
    if (isa<NamespaceDecl, LinkageSpecDecl, ExportDecl, CXXRecordDecl>(declaration))
      for (Decl *inner : cast<DeclContext>(declaration).decls())
        look_at(*inner);
  }

  // May be called twice for one function: when its class is seen, and for the function itself.
  void look_at_function(FunctionDecl &function) {
    if (!function.doesThisDeclarationHaveABody() || function.isDependentContext() ||
        compiler_.getDiagnostics().hasErrorOccurred())
      return;
    Declarer::of_this_file().look_at(function);
    AutomaticHandlers::of_this_file().look_at(function);
    const bool is_handler = is_annotated(function, kHandlerAnnotation);
    if (is_handler)
      annotate(function, function);
    if (is_handler || !compiler_.getSourceManager().isInSystemHeader(function.getLocation()))
      look_at_calls(function.getBody());
  }

  void look_at_calls(Stmt *statement) {
    if (!statement)
      return;
    if (auto *lambda = dyn_cast<LambdaExpr>(statement))
      look_at_function(*lambda->getCallOperator());
    if (auto *declared = dyn_cast<DeclStmt>(statement))
      for (Decl *declaration : declared->decls())
        if (auto *variable = dyn_cast<VarDecl>(declaration))
          look_at_variable(*variable);
    for (Stmt *child : statement->children())
      look_at_calls(child);
  }

  void look_at_variable(VarDecl &variable) {
    warn_of_changed_choices(variable, compiler_.getDiagnostics());
    if (variable.getIdentifier() && variable.getName() == kCallResult)
      if (const FunctionDecl *called = called_for(variable))
        annotate(variable, *called);
  }

  static const FunctionDecl *called_for(const VarDecl &variable) {
    const Expr *value = variable.getInit();
    const auto *call = value ? dyn_cast<CallExpr>(value->IgnoreParenImpCasts()) : nullptr;
    return call ? call->getDirectCallee() : nullptr;
  }

  static bool is_annotated(const Decl &declaration, StringRef text) {
    return llvm::any_of(declaration.specific_attrs<AnnotateAttr>(), [&](const AnnotateAttr *attr) {
      return attr->getAnnotation().starts_with(text);
    });
  }

  void annotate(Decl &declaration, const FunctionDecl &function) {
    if (is_annotated(declaration, compiler::kSignatureAnnotation))
      return;
    if (!lowering_)
      lowering_ = std::make_unique<Lowering>(compiler_);
    if (const auto signature = lowering_->signature_of(function))
      declaration.addAttr(AnnotateAttr::CreateImplicit(
          compiler_.getASTContext(), compiler::kSignatureAnnotation + to_text(*signature), nullptr,
          0));
  }

  CompilerInstance &compiler_;
  const std::vector<std::string> declarations_; ///< Paths of files.
  const std::vector<std::string> hot_functions_;
  std::unique_ptr<Lowering> lowering_; ///< Created for the first handler.
};

std::vector<std::string> counting_options(const CodeGenOptions &options) {
  std::vector<std::string> counting;
  if (!options.CoverageNotesFile.empty() || !options.CoverageDataFile.empty())
    counting.push_back("--coverage");
  if (options.hasProfileIRInstr())
    counting.push_back("-fprofile-generate");
  if (options.hasProfileCSIRInstr())
    counting.push_back("-fcs-profile-generate");
  if (options.SanitizeCoverageType != 0 || options.SanitizeCoverageTracePC ||
      options.SanitizeCoverageTracePCGuard || options.SanitizeCoverageInline8bitCounters ||
      options.SanitizeCoverageInlineBoolFlag)
    counting.push_back("-fsanitize-coverage");
  if (!options.MemoryProfileOutput.empty())
    counting.push_back("-fmemory-profile");
  return counting;
}

class AnnotateAction final : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    set_in_handler_module(
        llvm::any_of(compiler.getPreprocessorOpts().Macros, [](const auto &macro) {
          return !macro.second && StringRef(macro.first).starts_with("SARTOR_POINTS=");
        }));
    set_front_end_takes_part();
    set_counted_by_late_passes(counting_options(compiler.getCodeGenOpts()));
    return std::make_unique<Annotator>(compiler, std::move(declarations_),
                                       std::move(hot_functions_));
  }
  // -fplugin-arg-sartor-declarations=FILE, -fplugin-arg-sartor-auto=FUNCTION,
  // -fplugin-arg-sartor-lines=none|variants
  bool ParseArgs(const CompilerInstance &compiler, const std::vector<std::string> &words) override {
    for (StringRef word : words)
      if (word.consume_front("declarations="))
        declarations_.push_back(word.str());
      else if (word.consume_front("auto="))
        hot_functions_.push_back(word.str());
      else if (word.consume_front("lines=") && !take_lines_option(word))
        refuse(compiler, word);
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  static void refuse(const CompilerInstance &compiler, StringRef word) {
    auto &diagnostics = compiler.getDiagnostics();
    diagnostics.Report(diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "sartor: -fplugin-arg-sartor-lines=%0 is not understood; write "
                                  "none or variants"))
        << word;
  }

  std::vector<std::string> declarations_;
  std::vector<std::string> hot_functions_;
};

// NOLINTNEXTLINE(cert-err58-cpp): how clang finds it
const FrontendPluginRegistry::Add<AnnotateAction>
    annotate_registration("sartor", "writes down signatures of handlers");

} // namespace

} // namespace sartor::compiler

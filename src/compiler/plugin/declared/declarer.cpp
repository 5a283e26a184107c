// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/declarer.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/MemoryBuffer.h>

#include "base/text/toml.h"
#include "compiler/plugin/source_names.h"
#include "compiler/plugin/write_guards/watched_fields.h"

namespace sartor::compiler {

using namespace clang;

using Is = DeclaredUse::Is;

namespace {

/// Parses a number as the bits of an integer type of the given width; nothing if it does not fit.
std::optional<std::uint64_t> bits_of_number(StringRef digits, unsigned width, bool is_signed) {
  const bool is_negative = digits.consume_front("-");
  digits.consume_front("+");
  llvm::APInt number;
  if (digits.getAsInteger(10, number) || number.getActiveBits() > 64)
    return std::nullopt;
  number = number.zextOrTrunc(66);
  if (is_negative)
    number.negate();
  const bool fits =
      is_signed ? number.isSignedIntN(width) : !number.isNegative() && number.isIntN(width);
  return fits ? std::optional(number.trunc(64).getZExtValue()) : std::nullopt;
}

std::optional<std::uint64_t> bits_of_name(const std::string &name, QualType type) {
  if (const auto *enumeration = enumeration_of(type))
    for (const EnumConstantDecl *known : enumeration->enumerators())
      if (known->getName() == name)
        return known->getInitVal().extOrTrunc(64).getZExtValue();
  return std::nullopt;
}

/// Converts a number, or the name of an enumerator, to the bits of a value of an integral type;
/// nothing if it is no value of that type.
std::optional<std::uint64_t> bits_of(const base::TomlValue &choice, QualType type,
                                     const ASTContext &ast) {
  if (choice.kind == base::TomlValue::Kind::string)
    return bits_of_name(choice.text, type);
  const std::string number = choice.text == "true"    ? "1"
                             : choice.text == "false" ? "0"
                                                      : choice.text;
  return bits_of_number(number, ast.getIntWidth(type), type->isSignedIntegerOrEnumerationType());
}

constexpr const char *kPlain = "sartor.handler"; // as in points.h
constexpr const char *kDirect = "sartor.direct";
constexpr const char *kFolded = "sartor.fold";

bool is_annotated(const Decl &declaration, StringRef text) {
  return llvm::any_of(declaration.specific_attrs<AnnotateAttr>(),
                      [&](const AnnotateAttr *attr) { return attr->getAnnotation() == text; });
}

bool is_about(const DeclaredMemory &declared, const std::string &record, StringRef name) {
  return declared.record == record && declared.name == name;
}

} // namespace

DeclaredTable &DeclaredTable::of_this_file() {
  static DeclaredTable table;
  return table;
}

Declarer &Declarer::of_this_file() {
  static Declarer declarer;
  return declarer;
}

void Declarer::begin(CompilerInstance &compiler, const std::vector<std::string> &files) {
  *this = Declarer();
  DeclaredTable::of_this_file() = {};
  compiler_ = &compiler;
  for (const std::string &file : files) {
    auto text = llvm::MemoryBuffer::getFile(file);
    if (!text) {
      refuse({file, 0}, file + " cannot be read: " + text.getError().message());
      continue;
    }
    for (const DeclarationProblem &problem :
         read_declarations((*text)->getBuffer().str(), file, declarations_))
      refuse(problem.place, problem.text);
  }
  auto &rows = DeclaredTable::of_this_file().rows;
  for (const DeclaredFunction &function : declarations_.functions)
    rows.push_back({function.place,
                    (function.is_handler ? "handler \"" : "function \"") + function.name + "\""});
  for (const DeclaredMemory &memory : declarations_.memory)
    rows.push_back({memory.place, memory.record.empty()
                                      ? "variable \"" + memory.name + "\""
                                      : "field \"" + memory.record + "::" + memory.name + "\""});
}

void Declarer::look_at(FunctionDecl &function) {
  // Only files that use points.h contain handlers, whatever the declarations say.
  if (!function.doesThisDeclarationHaveABody() || declarations_.functions.empty() ||
      !compiler_->getPreprocessor().isMacroDefined("SARTOR_POINTS") ||
      !seen_.insert(&function).second)
    return;
  const std::string name = function.getQualifiedNameAsString();
  for (const DeclaredFunction &declared : declarations_.functions)
    if (declared.name == name)
      declare(function, declared);
}

void Declarer::declare(FunctionDecl &function, const DeclaredFunction &declared) {
  found(declared.place);
  if (function.isDependentContext() || function.isTemplateInstantiation())
    return refuse(declared.place,
                  "\"" + declared.name + "\" is a template (mark it in the source)");
  if (!declared.is_handler) {
    annotate(function, kFolded);
    return;
  }
  if (is_annotated(function, kPlain) && is_annotated(function, kDirect) != declared.is_direct)
    return refuse(declared.place, "the source says otherwise of how \"" + declared.name +
                                      "\" is called (leave one of both out)");
  if (declared.is_direct)
    annotate(function, kDirect);
  annotate(function, kPlain);
  for (const DeclaredParameter &parameter : declared.parameters) {
    const auto *at = llvm::find_if(function.parameters(), [&](const ParmVarDecl *known) {
      return known->getName() == parameter.name;
    });
    if (at == function.parameters().end())
      refuse(parameter.place,
             "\"" + declared.name + "\" has no parameter \"" + parameter.name + "\"");
    else
      declare(**at, parameter, declared.name);
  }
}

void Declarer::declare(ParmVarDecl &parameter, const DeclaredParameter &declared,
                       const std::string &handler) {
  if (!has_type(parameter.getType(), declared) || declared.kind == 0)
    return;
  const QualType type = parameter.getType();
  const bool is_number = type->isIntegralOrEnumerationType();
  if (!is_number && !type->isRealFloatingType() && !type->isPointerType())
    return refuse(declared.place,
                  "\"" + declared.name + "\" is no number or pointer, which a point's value is");
  DeclaredTable &table = DeclaredTable::of_this_file();
  DeclaredTable::Point point{.label = declared.label.empty() ? handler + "." + declared.name
                                                             : declared.label,
                             .kind = declared.kind,
                             .is_signed = is_number && type->isSignedIntegerOrEnumerationType(),
                             .is_bool = type->isBooleanType(),
                             .choices = {},
                             .place = declared.place};
  if (!add_choices(parameter, declared, point))
    return;
  parameter.addAttr(AnnotateAttr::CreateImplicit(
      compiler_->getASTContext(), kParameterAnnotation + std::to_string(table.points.size()),
      nullptr, 0));
  table.points.push_back(std::move(point));
}

bool Declarer::add_choices(const ParmVarDecl &parameter, const DeclaredParameter &declared,
                           DeclaredTable::Point &point) {
  const QualType type = parameter.getType();
  if (!declared.choices.empty() && !type->isIntegralOrEnumerationType()) {
    refuse(declared.place, "the values of \"" + declared.name +
                               "\" are no integers, which alone can be listed here");
    return false;
  }
  for (const base::TomlValue &choice : declared.choices) {
    const auto bits = bits_of(choice, type, compiler_->getASTContext());
    if (!bits) {
      refuse({declared.place.file, static_cast<unsigned>(choice.line)},
             "\"" + choice.text + "\" is no value of \"" + declared.name + "\", which is " +
                 source_name(type, compiler_->getASTContext()));
      return false;
    }
    point.choices.push_back(*bits);
  }
  return true;
}

void Declarer::look_at(RecordDecl &record) {
  if (!record.isCompleteDefinition() || record.isDependentContext() ||
      record.isAnonymousStructOrUnion() || !seen_.insert(&record).second)
    return;
  std::string name;
  for (const DeclaredMemory &declared : declarations_.memory) {
    if (declared.record.empty())
      continue;
    if (name.empty())
      name = source_name(record, compiler_->getASTContext());
    if (declared.record != name)
      continue;
    found(declared.place);
    if (FieldDecl *field = field_named(record, declared.name))
      declare(*field, declared);
    else
      refuse(declared.place, "\"" + name + "\" has no field \"" + declared.name + "\"");
  }
}

void Declarer::declare(FieldDecl &field, const DeclaredMemory &declared) {
  if (!has_type(field.getType(), declared))
    return;
  const bool is_watched = is_annotated(field, kWatchedAnnotation);
  if (declared.is == Is::dynamic && is_watched)
    return refuse(declared.place, "\"" + declared.name + "\" is watched, says the source");
  if (declared.is == Is::quasi_invariant && !is_watched)
    field.addAttr(
        AnnotateAttr::CreateImplicit(compiler_->getASTContext(), kWatchedAnnotation, nullptr, 0));
}

void Declarer::look_at(VarDecl &variable) {
  if (!variable.isFileVarDecl() || declarations_.memory.empty() || !seen_.insert(&variable).second)
    return;
  const std::string name = variable.getQualifiedNameAsString();
  const auto declared =
      std::ranges::find_if(declarations_.memory, [&](const DeclaredMemory &memory) {
        return is_about(memory, "", name);
      });
  if (declared == declarations_.memory.end() || !has_type(variable.getType(), *declared))
    return;
  const bool is_defined = variable.isThisDeclarationADefinition() != VarDecl::DeclarationOnly;
  if (is_defined)
    found(declared->place);
  if (declared->is == Is::dynamic)
    return;
  if (variable.getTLSKind() != VarDecl::TLS_None)
    return refuse(declared->place, "\"" + name + "\" is another in each thread");
  if (variable.getType()->isReferenceType() || variable.getType()->isIncompleteType())
    return is_defined ? refuse(declared->place, "\"" + name + "\" has no bytes of its own")
                      : void();
  if (declared->is == Is::quasi_invariant && declared->fields.empty())
    watched_.insert(variable.getCanonicalDecl());
  if (is_defined)
    define(variable, *declared);
}

void Declarer::define(VarDecl &variable, const DeclaredMemory &declared) {
  ASTContext &ast = compiler_->getASTContext();
  auto &known = DeclaredTable::of_this_file().variables;
  const std::string symbol = ASTNameGenerator(ast).getName(&variable);
  if (std::ranges::find(known, symbol, &DeclaredVariable::symbol) != known.end())
    return; // a tentative definition in C
  // An unused variable with internal linkage is also declared.
  if (!variable.hasAttr<UsedAttr>())
    variable.addAttr(UsedAttr::CreateImplicit(ast));
  const auto bytes =
      static_cast<std::uint64_t>(ast.getTypeSizeInChars(variable.getType()).getQuantity());
  if (declared.fields.empty())
    known.push_back({symbol, declared, bytes, 0, bytes});
  const RecordDecl *record = variable.getType()->getAsRecordDecl();
  for (const std::string &name : declared.fields) {
    const FieldDecl *field = record ? field_named(*record, name) : nullptr;
    if (!field)
      return refuse(declared.place, "\"" + declared.name + "\" has no field \"" + name + "\"");
    const WatchedField place = WatchedFields(ast, WatchTable::of_this_file()).described(*field);
    if (declared.is == Is::quasi_invariant && !is_annotated(*field, kWatchedAnnotation))
      return refuse(declared.place, "its writers have no guards (declare [field." + place.record +
                                        "." + name + "] quasi-invariant, too)");
    known.push_back({symbol, declared, bytes, place.offset, place.size});
    known.back().declared.name += "." + name;
  }
}

bool Declarer::is_watched(const VarDecl &variable) const {
  return watched_.contains(variable.getCanonicalDecl());
}

bool Declarer::has_type(QualType type, const DeclaredUse &declared) {
  if (declared.type.empty() || is_named(type, declared.type, compiler_->getASTContext()))
    return true;
  refuse(declared.place, "\"" + declared.name + "\" is declared as " + declared.type + ", and is " +
                             source_name(type, compiler_->getASTContext()));
  return false;
}

void Declarer::annotate(Decl &declaration, StringRef text) {
  ASTContext &ast = compiler_->getASTContext();
  if (!is_annotated(declaration, text))
    declaration.addAttr(AnnotateAttr::CreateImplicit(ast, text, nullptr, 0));
  if (!declaration.hasAttr<UsedAttr>())
    declaration.addAttr(UsedAttr::CreateImplicit(ast));
}

void Declarer::found(const SourcePlace &place) {
  for (DeclaredRow &row : DeclaredTable::of_this_file().rows)
    if (row.place.file == place.file && row.place.line == place.line)
      row.is_found = true;
}

SourceLocation Declarer::location_of(const SourcePlace &place) const {
  const auto file = compiler_->getFileManager().getOptionalFileRef(place.file);
  if (!file || place.line == 0)
    return {};
  SourceManager &sources = compiler_->getSourceManager();
  return sources.translateLineCol(sources.getOrCreateFileID(*file, SrcMgr::C_User), place.line, 1);
}

void Declarer::refuse(const SourcePlace &place, const std::string &text) {
  auto &diagnostics = compiler_->getDiagnostics();
  const unsigned kind = diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "sartor: %0");
  diagnostics.Report(location_of(place), kind) << text;
}

} // namespace sartor::compiler

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source_names.h"

#include "compiler/plugin/clang_version.h"

namespace sartor::compiler {

using namespace clang;

std::string source_name(const RecordDecl &record, const ASTContext &ast) {
  PrintingPolicy policy(ast.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.AnonymousTagLocations = false;
  return type_of(record, ast).getAsString(policy);
}

std::string source_name(QualType type, const ASTContext &ast) {
  PrintingPolicy policy(ast.getLangOpts());
  policy.Bool = true; // a macro in C
  return type.getAsString(policy);
}

bool is_named(QualType type, const std::string &text, const ASTContext &ast) {
  const auto without_blanks = [](std::string name) {
    std::erase(name, ' ');
    return name;
  };
  const std::string wanted = text == "_Bool" ? "bool" : without_blanks(text);
  return without_blanks(source_name(type, ast)) == wanted ||
         without_blanks(source_name(type.getCanonicalType(), ast)) == wanted;
}

const EnumDecl *enumeration_of(QualType type) {
  return llvm::dyn_cast_or_null<EnumDecl>(type->getAsTagDecl());
}

FieldDecl *field_named(const RecordDecl &record, const std::string &name) {
  for (FieldDecl *field : record.fields()) {
    if (field->getName() == name)
      return field;
    const RecordDecl *inner = field->getType()->getAsRecordDecl();
    if (field->isAnonymousStructOrUnion() && inner)
      if (FieldDecl *found = field_named(*inner, name))
        return found;
  }
  return nullptr;
}

} // namespace sartor::compiler

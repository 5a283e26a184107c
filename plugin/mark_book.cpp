// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mark_book.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/Basic/SourceManager.h>

namespace sartor::plugin {

using namespace clang;

using Parts = WatchedFields::Parts;

bool is_not_evaluated(const Stmt &statement) {
  return isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, ConstantExpr, TypeTraitExpr, RequiresExpr,
             CXXTypeidExpr>(statement);
}

unsigned MarkBook::number_of(SourceLocation place, Parts parts, bool is_exact, QualType object) {
  const auto size = object->isIncompleteType() ? 0 : ast_.getTypeSizeInChars(object).getQuantity();
  table_.marks.push_back(
      {place_of(place), std::move(parts), is_exact, static_cast<std::uint64_t>(size)});
  return static_cast<unsigned>(table_.marks.size() - 1);
}

SourcePlace MarkBook::place_of(SourceLocation location) const {
  const SourceManager &sources = ast_.getSourceManager();
  const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  return place.isValid() ? SourcePlace{place.getFilename(), place.getLine()} : SourcePlace{};
}

void MarkBook::note(SourceLocation place, const Parts &parts, const std::string &reason) {
  for (const WatchedPart &part : parts)
    table_.unproven.push_back({place_of(place), table_.fields[part.field].name(), reason});
}

void MarkBook::note_addresses(const Stmt *constant) {
  if (const auto *value = dyn_cast_or_null<ConstantExpr>(constant))
    return note_addresses(value->getSubExpr());
  if (!constant || is_not_evaluated(*constant))
    return;
  if (const auto *member = dyn_cast<MemberExpr>(constant))
    if (const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl()))
      note(member->getExprLoc(), fields_.changed_through(*field), "address in static data");
  if (const auto *name = dyn_cast<DeclRefExpr>(constant)) {
    note(name->getExprLoc(), fields_.named_by(*name), "address in static data");
    if (const auto *field = dyn_cast<FieldDecl>(name->getDecl()))
      note(name->getExprLoc(), fields_.changed_through(*field), "pointer to member");
  }
  const auto *cast = dyn_cast<CastExpr>(constant);
  if (cast && cast->getCastKind() == CK_LValueToRValue)
    return;
  for (const Stmt *child : constant->children())
    note_addresses(child);
}

} // namespace sartor::plugin

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watch_sections.h"

#include <llvm/IR/Constants.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "core/space/guard_section.h"
#include "sections.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kWatchSection = "sartor_watches";

Constant *row_of(Module &module, const WatchedField &field, GlobalVariable *variable) {
  auto *word = Type::getInt64Ty(module.getContext());
  return ConstantStruct::getAnon(
      {make_string(module, field.record), make_string(module, field.field),
       ConstantInt::get(word, field.record_size), ConstantInt::get(word, field.offset),
       ConstantInt::get(word, field.size), armed_byte(module, field),
       variable ? variable : Constant::getNullValue(PointerType::getUnqual(module.getContext()))});
}

// Each file defines it; the linker keeps one.
void make_registration(Module &module) {
  constexpr const char *name = "sartor.register_watches";
  auto *nothing = Type::getVoidTy(module.getContext());
  auto *constructor = Function::Create(FunctionType::get(nothing, /*isVarArg=*/false),
                                       GlobalValue::WeakODRLinkage, name, module);
  constructor->setComdat(module.getOrInsertComdat(name));
  constructor->setVisibility(GlobalValue::HiddenVisibility);
  call_if_heard(
      *constructor, "sartor_register_watches",
      {make_bound(module, "__start_sartor_watches"), make_bound(module, "__stop_sartor_watches")});
  constexpr int by_default = 65535;
  appendToGlobalCtors(module, constructor, by_default, constructor);
}

json::Array rows_of(const WatchTable &table) {
  json::Array rows;
  for (const WatchedField &field : table.fields)
    rows.push_back(json::Object{{"field", json::fixUTF8(field.name())},
                                {"record_size", field.record_size},
                                {"offset", field.offset},
                                {"size", field.size}});
  return rows;
}

json::Object row_at(const SourcePlace &place, const std::string &field, StringRef key,
                    const std::string &text) {
  return json::Object{{"file", json::fixUTF8(place.file)},
                      {"line", place.line},
                      {"field", json::fixUTF8(field)},
                      {key, json::fixUTF8(text)}};
}

} // namespace

void add_watches(Module &module, const std::vector<Guarded> &guarded, const WatchTable &table,
                 const WatchedVariables &variables) {
  SmallVector<GlobalValue *> rows;
  for (const auto &[index, field] : enumerate(table.fields))
    if (any_of(guarded, [&](const Guarded &place) { return place.field == field.name(); }))
      rows.push_back(
          make_global(module, row_of(module, field, variables.lookup(static_cast<unsigned>(index))),
                      "sartor.watch", kWatchSection));
  if (rows.empty())
    return;
  appendToUsed(module, rows);
  make_registration(module);
}

void add_guard_report(Module &module, const std::vector<Guarded> &guarded,
                      const WatchTable &table) {
  json::Array places;
  for (const Guarded &place : guarded)
    places.push_back(row_at(place.place, place.field, "kind", place.kind));
  json::Array unproven;
  for (const Unproven &place : table.unproven)
    unproven.push_back(row_at(place.place, place.field, "reason", place.reason));
  std::string text;
  raw_string_ostream(text) << json::Value(json::Object{{"watched", rows_of(table)},
                                                       {"guarded", std::move(places)},
                                                       {"unproven", std::move(unproven)}});
  add_unloaded(module, core::kGuardSection, core::kGuardMagic, text);
}

} // namespace sartor::compiler

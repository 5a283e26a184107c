// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/clone.h"

#include <cassert>
#include <utility>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/frontend/goto_labels.h"
#include "compiler/frontend/llvm_version.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Corrects a copy whose tables were filled before its functions had blocks.
class CopiedLabels {
public:
  CopiedLabels(const Module &original, const ValueToValueMapTy &map)
      : original_(original), map_(map) {}

  void settle() {
    for (const GlobalVariable &table : original_.globals())
      if (table.hasInitializer() && holds_labels(*table.getInitializer()))
        if (auto *copy = dyn_cast_or_null<GlobalVariable>(copy_of(table));
            copy && copy->hasInitializer())
          tables_.emplace_back(&table, copy);
    if (tables_.empty())
      return;
    know_places();
    for (const auto &[table, copy] : tables_) {
      find_strays(*copy->getInitializer());
      copy->setInitializer(MapValue(table->getInitializer(), places_));
    }
    for (BlockAddress *stray : strays_) {
      stray->removeDeadConstantUsers();
      if (stray->use_empty())
        stray->destroyConstant();
    }
  }

private:
  [[nodiscard]] llvm::Value *copy_of(const llvm::Value &value) const { return map_.lookup(&value); }

  void know_places() {
    for (const GlobalValue &value : original_.global_values())
      if (llvm::Value *copy = copy_of(value))
        places_[&value] = copy;
    for (const Function &function : original_)
      for (const BasicBlock &block : function)
        if (const BlockAddress *label = BlockAddress::lookup(&block))
          if (auto *copy = cast_or_null<BasicBlock>(copy_of(block)))
            places_[label] = BlockAddress::get(copy);
  }

  // Addresses of another function's blocks would refer to this module after its end.
  void find_strays(Constant &contents) {
    SmallVector<Constant *> work{&contents};
    while (!work.empty()) {
      Constant *part = work.pop_back_val();
      if (isa<GlobalValue>(part) || !seen_.insert(part).second)
        continue;
      if (auto *label = dyn_cast<BlockAddress>(part)) {
        if (label->getBasicBlock()->getParent() != label->getFunction())
          strays_.push_back(label);
        continue;
      }
      for (const Use &operand : part->operands())
        work.push_back(cast<Constant>(operand));
    }
  }

  const Module &original_;
  const ValueToValueMapTy &map_;
  SmallVector<std::pair<const GlobalVariable *, GlobalVariable *>> tables_;
  ValueToValueMapTy places_;
  SmallPtrSet<Constant *, 16> seen_;
  SmallVector<BlockAddress *> strays_;
};

} // namespace

std::unique_ptr<Module> clone_module(const Module &module) {
  ValueToValueMapTy map;
  return clone_module(module, map);
}

std::unique_ptr<Module> clone_module(const Module &module, ValueToValueMapTy &map) {
  return clone_module(module, map, [](const GlobalValue *) { return true; });
}

std::unique_ptr<Module> clone_module(const Module &module, ValueToValueMapTy &map,
                                     function_ref<bool(const GlobalValue *)> is_defined) {
  auto copy = CloneModule(module, map, is_defined);
  if (!kClonedTablesHaveOwnLabels)
    CopiedLabels(module, map).settle();
  return copy;
}

namespace {

GlobalVariable *copy_without_contents(GlobalVariable &table) {
  auto *copy =
      new GlobalVariable(*table.getParent(), table.getValueType(), table.isConstant(),
                         table.getLinkage(), /*Initializer=*/nullptr, table.getName(), &table);
  copy->copyAttributesFrom(&table);
  return copy;
}

} // namespace

std::string copy_problem(const Function &function) {
  return lets_labels_out(function) ? "the function lets addresses of its labels out" : "";
}

Function *copy_function(Function &function) {
  assert(copy_problem(function).empty());
  ValueToValueMapTy map;
  const auto tables = label_tables(function);
  for (GlobalVariable *table : tables)
    map[table] = copy_without_contents(*table);
  Function *copy = CloneFunction(&function, map);
  // CloneFunction() has mapped the labels.
  for (GlobalVariable *table : tables)
    cast<GlobalVariable>(map.lookup(table))->setInitializer(MapValue(table->getInitializer(), map));
  return copy;
}

} // namespace sartor::compiler

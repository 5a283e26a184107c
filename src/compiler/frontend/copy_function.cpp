// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/copy_function.h"

#include <cassert>

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/frontend/goto_labels.h"

namespace sartor::compiler {

using namespace llvm;

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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_POINT_MARK_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_POINT_MARK_H

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/plugin/declared/declared_table.h"

namespace sartor::compiler {

/// Inserts the mark that the macros of points.h would leave for a point whose value is in a
/// temporary.
void put_mark(llvm::IRBuilderBase &builder, llvm::AllocaInst &temporary,
              const DeclaredTable::Point &point);

} // namespace sartor::compiler

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WATCH_SECTIONS_H
#define SARTOR_COMPILER_PLUGIN_WATCH_SECTIONS_H

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "guard_writes.h"
#include "watch_table.h"

namespace sartor::compiler {

/// By the index of their row in the table.
using WatchedVariables = llvm::DenseMap<unsigned, llvm::GlobalVariable *>;

/// Emits the guarded fields of the module for the runtime (sartor/watch.h), and a constructor that
/// registers them.
void add_watches(llvm::Module &module, const std::vector<Guarded> &guarded, const WatchTable &table,
                 const WatchedVariables &variables);

/// Emits the guarded and the unproven places for `sartor guards`, in a section that is not loaded.
void add_guard_report(llvm::Module &module, const std::vector<Guarded> &guarded,
                      const WatchTable &table);

} // namespace sartor::compiler

#endif

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

/// Writes down the fields that are guarded in the module, for the run time (sartor/watch.h), and a
/// constructor that tells of them.
void add_watches(llvm::Module &module, const std::vector<Guarded> &guarded, const WatchTable &table,
                 const WatchedVariables &variables);

/// Writes down what is guarded and what is not proven, for `sartor guards`: in a section that is
/// not loaded.
void add_guard_report(llvm::Module &module, const std::vector<Guarded> &guarded,
                      const WatchTable &table);

} // namespace sartor::compiler

#endif

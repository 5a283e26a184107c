// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_GUARD_WRITES_H
#define SARTOR_COMPILER_PLUGIN_GUARD_WRITES_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "watch_table.h"
#include "writes.h"

namespace sartor::compiler {

/// A place that changes a watched field behind a guard.
struct Guarded {
  SourcePlace place;
  std::string field;
  std::string kind;
};

/// The byte that is not zero while a fact leans on a field: one for each program or library.
llvm::GlobalVariable *armed_byte(llvm::Module &module, const WatchedField &field);

/// Puts a check of their fields' bytes before writes, and calls of the run time's functions where
/// one of them is not zero (sartor/watch.h). Writes to objects that nobody else can know of stay as
/// they are.
std::vector<Guarded> guard(llvm::Module &module, const Writes &writes, const WatchTable &table);

} // namespace sartor::compiler

#endif

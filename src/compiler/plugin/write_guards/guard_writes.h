// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_GUARD_WRITES_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_GUARD_WRITES_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "compiler/plugin/write_guards/watch_table.h"
#include "compiler/plugin/write_guards/writes.h"

namespace sartor::compiler {

/// A guarded place in the source that changes a watched field.
struct Guarded {
  SourcePlace place;
  std::string field;
  std::string kind;
};

/// Returns the byte that is nonzero while a quasi-invariant depends on the field: one for each
/// program or library.
llvm::GlobalVariable *armed_byte(llvm::Module &module, const WatchedField &field);

/// Inserts a check of the fields' bytes before writes, and calls of the runtime's functions if one
/// of them is nonzero (sartor/watch.h). Writes to objects that no other code can know remain
/// unguarded.
std::vector<Guarded> guard(llvm::Module &module, const Writes &writes, const WatchTable &table);

} // namespace sartor::compiler

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_EXTRACT_H
#define SARTOR_COMPILER_SPECIALIZE_EXTRACT_H

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "core/request/invariant_memory.h"

namespace sartor::compiler {

/// The functions and tables of a prepared module that invariant memory points to.
struct PointedTo {
  std::vector<llvm::Function *> functions; ///< Functions with bodies.
  std::vector<const llvm::GlobalVariable *> tables;

  [[nodiscard]] std::set<std::string> names() const;
};
PointedTo pointed_to_by(const std::vector<core::Region> &regions,
                        const std::map<std::string, void *, std::less<>> &symbols,
                        llvm::Module &prepared);
/// Looks up the same by names; each names a function or a table.
PointedTo pointed_to_by(const std::set<std::string> &names, llvm::Module &prepared);

/// Extracts a handler and everything it needs, also through invariant memory, into a separate
/// module in which the handler is named `symbol`. `much_is_inlined`: see compiler::needed_by().
std::unique_ptr<llvm::Module> extract(llvm::Module &prepared, llvm::Function &handler,
                                      const PointedTo &pointed_to, bool much_is_inlined,
                                      const std::string &symbol);

/// Removes the bodies of functions in a large program that are many calls away from `roots`, or
/// large, or rare: optimizing them again for inlining does not pay off, and their native code is
/// called. Returns these functions.
std::vector<llvm::Function *> leave_far_functions(llvm::Module &module,
                                                  const std::vector<llvm::Function *> &roots);

} // namespace sartor::compiler

#endif

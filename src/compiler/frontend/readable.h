// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_READABLE_H
#define SARTOR_COMPILER_FRONTEND_READABLE_H

#include <string>

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// Returns a function's name for people; for a handler, the name that programs use.
std::string readable(const llvm::Function &function);

/// Returns ` (FILE:LINE)`, to be appended to the text of a remark; empty without debug information.
std::string place_text(const llvm::DebugLoc &place);
/// The same for the line of a function's name.
std::string place_text(const llvm::Function &function);

/// Returns the first location in a block.
llvm::DebugLoc place_of(const llvm::BasicBlock &block);

} // namespace sartor::compiler

#endif

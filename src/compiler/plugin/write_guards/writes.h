// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_WRITES_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_WRITES_H

#include <optional>
#include <string>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// An instruction that may change watched fields.
struct Write {
  llvm::SmallSetVector<unsigned, 4> fields; ///< Indexes into WatchTable::fields.
  llvm::SmallSetVector<unsigned, 2> marks;  ///< Indexes into WatchTable::marks.
};

using Writes = llvm::MapVector<llvm::Instruction *, Write>;

/// Returns the index of the argument with the number of bytes that a call writes to its first
/// argument's target; nothing for other calls.
std::optional<unsigned> length_argument(const llvm::CallBase &call);

/// Returns the address that an instruction writes to: a store, an atomic operation, or such a call.
llvm::Value *written_address(llvm::Instruction &write);
/// Returns the number of bytes that it writes; for a call, its argument.
llvm::Value *written_bytes(llvm::Instruction &write);
/// True if only the current function knows the object at an address: a local variable, a
/// parameter's copy, or the result under construction.
bool is_fresh(const llvm::Value &address);
/// Returns `store`, `atomic exchange`, `memcpy` and the like.
std::string kind_of_write(const llvm::Instruction &write);

/// True if a local variable is only loaded and stored as a whole, and its address does not escape.
bool is_plain_variable(const llvm::AllocaInst &variable);
/// True if an address converted to a number is only compared, reported, or subtracted from another
/// in the same object.
bool is_compared(const llvm::Value &number);
/// Returns the function's readable name without parameters, as `name()`.
std::string called_as(const llvm::Function &function);

} // namespace sartor::compiler

#endif

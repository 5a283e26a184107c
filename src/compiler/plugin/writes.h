// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITES_H
#define SARTOR_COMPILER_PLUGIN_WRITES_H

#include <optional>
#include <string>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>

namespace sartor::compiler {

/// What may change watched fields at one instruction.
struct Write {
  llvm::SmallSetVector<unsigned, 4> fields; ///< Indexes into WatchTable::fields.
  llvm::SmallSetVector<unsigned, 2> marks;  ///< Indexes into WatchTable::marks.
};

using Writes = llvm::MapVector<llvm::Instruction *, Write>;

/// Which argument of a call says how many bytes it writes to where its first argument points;
/// nothing for calls that do something else.
std::optional<unsigned> length_argument(const llvm::CallBase &call);

/// The address that an instruction writes to: a store, an atomic operation, or such a call.
llvm::Value *written_address(llvm::Instruction &write);
/// How many bytes it writes; of a call, its argument.
llvm::Value *written_bytes(llvm::Instruction &write);
/// Whether an address is of an object that only the function at hand knows: a local variable, a
/// copy that a parameter is, or the result under construction.
bool is_fresh(const llvm::Value &address);
/// `store`, `atomic exchange`, `memcpy`.
std::string kind_of_write(const llvm::Instruction &write);

} // namespace sartor::compiler

#endif

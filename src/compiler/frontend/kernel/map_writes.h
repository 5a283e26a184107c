// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_KERNEL_MAP_WRITES_H
#define SARTOR_COMPILER_FRONTEND_KERNEL_MAP_WRITES_H

#include <string>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Returns the version of a map (SARTOR_READ_MOSTLY, core/request/kernel_names.h), or null.
llvm::GlobalVariable *map_version(const llvm::GlobalVariable &map);

/// Inserts increments of the version before and after code that may change such a map. Each use of
/// a map's address is followed: through casts, phi nodes and selects, into functions that receive
/// it, and to the pointers that lookups return. If one of these cannot be followed, later writes
/// through it are not seen; the reason is recorded with the map.
void guard_map_writes(llvm::Module &module);
/// Returns that reason, for people; empty if every use was followed.
std::string unseen_writer(const llvm::GlobalVariable &map);

/// Returns the map that a call looks a key up in; null for other calls.
llvm::GlobalVariable *looked_up(const llvm::CallBase &call);

/// Marks lookup calls as read-only.
void mark_lookups(llvm::Module &module);

/// The effect of an instruction on the value that a pointer into a map points to.
enum class ValueUse : unsigned char { read, written, lost };
/// Calls `look` for each instruction that uses a pointer returned by a lookup, or a pointer into
/// the same value that is computed from it.
void look_at_uses(llvm::CallBase &lookup,
                  llvm::function_ref<void(llvm::Instruction &user, ValueUse does)> look);

} // namespace sartor::compiler

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MAP_WRITES_H
#define SARTOR_COMPILER_FRONTEND_MAP_WRITES_H

#include <string>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// The version of a map (SARTOR_READ_MOSTLY, core/request/kernel_names.h); null where it has none.
llvm::GlobalVariable *map_version(const llvm::GlobalVariable &map);

/// Has code that may change such maps increment their versions before and after. Each use of a
/// map's address is followed: through casts, phi nodes and selects, into functions that it is
/// passed to, and to the pointers to values that lookups give. If one of these goes out of sight,
/// what is done by it later is not seen: that is kept with the map.
void guard_map_writes(llvm::Module &module);
/// Where that is, for people; empty where nothing is out of sight.
std::string unseen_writer(const llvm::GlobalVariable &map);

/// The map that a call looks something up in; null if it does something else.
llvm::GlobalVariable *looked_up(const llvm::CallBase &call);

/// Says of calls that look something up that they only read.
void mark_lookups(llvm::Module &module);

/// What may be done with a pointer to a value of a map.
enum class ValueUse : unsigned char { read, written, lost };
/// Calls `look` for each instruction that does something with a pointer that a lookup gives, or
/// with what is computed from it and leads to the same value.
void look_at_uses(llvm::CallBase &lookup,
                  llvm::function_ref<void(llvm::Instruction &user, ValueUse does)> look);

} // namespace sartor::compiler

#endif

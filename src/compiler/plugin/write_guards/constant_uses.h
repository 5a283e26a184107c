// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_CONSTANT_USES_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_CONSTANT_USES_H

#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/plugin/write_guards/watch_table.h"

namespace sartor::compiler {

/// A final check after the marks: lists constant addresses in watched variables that do not come
/// from a mark and have a use that is not proven to be a read. The front-end half has missed these:
/// clang has replaced a marked expression by a constant, or they are in code or data that it has
/// not seen.
class ConstantUses {
public:
  using LibraryOf = llvm::function_ref<const llvm::TargetLibraryInfo &(llvm::Function &)>;

  /// `table` receives the addresses that are found.
  ConstantUses(llvm::Module &module, WatchTable &table, LibraryOf library)
      : module_(module), table_(table), library_(library) {}

  /// Must be called before marks are removed.
  void list();

private:
  /// A value that is, or is computed from, a constant address in the current variable.
  struct Address {
    llvm::Value *value;
    std::optional<std::int64_t> offset; ///< Offset in the variable, if known.
  };

  void list_uses(llvm::GlobalVariable &variable);
  void list_named_in_assembly(const llvm::GlobalVariable &variable);
  void follow(const Address &address);
  void follow_constant(llvm::Constant &user, const Address &address);
  void follow_instruction(llvm::Instruction &user, llvm::Use &use, const Address &address);
  void follow_stored(llvm::StoreInst &store, const Address &address);
  void follow_call(llvm::CallBase &call, llvm::Use &use, const Address &address);
  bool follow_intrinsic(llvm::CallBase &call, llvm::Use &use, const Address &address);
  void hold(llvm::Value &value, std::optional<std::int64_t> offset) {
    waiting_.push_back({&value, offset});
  }
  void list_holders(llvm::Constant &constant, const Address &address);
  void list_write(llvm::Instruction &write, const Address &address);
  void list_at(const llvm::Instruction &place, const Address &address, const std::string &how);
  void list(const SourcePlace &place, const Address &address, std::uint64_t bytes,
            const std::string &how);
  [[nodiscard]] SourcePlace place_of(const llvm::Instruction &instruction) const;
  [[nodiscard]] SourcePlace place_in(const llvm::DIFile *file, unsigned line) const;
  [[nodiscard]] bool initializes(const llvm::Function &function) const;

  llvm::Module &module_;
  WatchTable &table_;
  LibraryOf library_;
  llvm::GlobalVariable *variable_ = nullptr;
  const WatchedVariable *watched_ = nullptr;
  std::vector<Address> waiting_;
  llvm::DenseSet<const llvm::Value *> seen_;
};

} // namespace sartor::compiler

#endif

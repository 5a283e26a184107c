// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_FOLLOW_MARKS_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_FOLLOW_MARKS_H

#include <optional>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/plugin/write_guards/watch_table.h"
#include "compiler/plugin/write_guards/writes.h"

namespace sartor::compiler {

/// Follows marked addresses through a module before optimization: through local variables, and into
/// functions of the module that receive them, each time into a copy.
class MarkFollower {
public:
  using LibraryOf = llvm::function_ref<const llvm::TargetLibraryInfo &(llvm::Function &)>;

  /// `mark`: the function that marks. `table` receives the addresses that cannot be followed.
  MarkFollower(llvm::Function &mark, WatchTable &table, LibraryOf library)
      : mark_(mark), table_(table), library_(library) {}

  /// Returns all writes that may go to marked addresses, and removes the marks.
  Writes follow();

private:
  /// A value that holds a marked address, or one at an offset from it.
  struct Holder {
    llvm::Value *value;
    unsigned mark;
    std::optional<std::int64_t> offset; ///< Offset from the marked address, if known.
  };
  struct Copy {
    llvm::Function *original = nullptr;
    llvm::SmallSetVector<llvm::CallBase *, 2> callers;
    llvm::SmallSetVector<unsigned, 2> returned; ///< Marks of the addresses that it may return.
  };

  void add_marks_in(llvm::Function &function);
  void hold(llvm::Value &value, const Holder &from, std::optional<std::int64_t> offset);
  void follow(const Holder &holder);
  void follow_use(llvm::Use &use, const Holder &holder);
  void follow_stored(llvm::StoreInst &store, const Holder &holder);
  void follow_call(llvm::CallBase &call, llvm::Use &use, const Holder &holder);
  bool follow_intrinsic(llvm::CallBase &call, llvm::Use &use, const Holder &holder);
  bool follow_library_call(llvm::CallBase &call, unsigned argument, const Holder &holder);
  void follow_into(llvm::CallBase &call, unsigned argument, const Holder &holder);
  void add_caller(Copy &copy, llvm::CallBase &caller);
  void follow_returned(llvm::Function &function, const Holder &holder);
  void add_write(llvm::Instruction &at, const Holder &holder);
  [[nodiscard]] std::vector<unsigned> fields_at(const Holder &holder,
                                                std::optional<std::uint64_t> bytes) const;
  void escapes(const Holder &holder, const std::string &how);
  void drop_idle_copies();
  void remove_marks();

  llvm::Function &mark_;
  WatchTable &table_;
  LibraryOf library_;
  std::vector<Holder> waiting_;
  llvm::DenseSet<std::pair<const llvm::Value *, unsigned>> seen_;
  llvm::MapVector<llvm::Function *, Copy> copies_;
  llvm::DenseMap<std::pair<llvm::Function *, std::pair<unsigned, unsigned>>, llvm::Function *>
      copy_of_;
  Writes writes_;
};

} // namespace sartor::compiler

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_REGIONS_H
#define SARTOR_COMPILER_SPECIALIZE_REGIONS_H

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>

#include "compiler/specialize/fold/constant_objects.h"
#include "core/request/invariant_memory.h"

namespace sartor::compiler {

/// Invariant memory as seen by one module: constants that are addresses, and the content there.
/// Plain addresses remain plain addresses: LLVM would assume that a global variable made from a
/// region is a whole object, but the memory next to a region belongs to the program.
class Regions {
public:
  /// `reached` is the content that was read of `memory`, which is null if there is none; `symbols`
  /// are the addresses of names. All must outlive this.
  Regions(const core::Reached &reached, core::InvariantMemory *memory,
          const std::map<std::string, void *, std::less<>> &symbols, llvm::Module &module);

  /// Returns the address of a constant pointer, if known.
  [[nodiscard]] std::optional<std::uintptr_t> address_of(const llvm::Constant &pointer) const;

  /// Replaces the variables in a constant pointer by their known addresses. Functions and constants
  /// of the module are unchanged, and so are other values.
  [[nodiscard]] llvm::Constant *plain(llvm::Constant *constant) const;

  /// Returns the pointer for an address: a function of the module if one begins there. The address
  /// of a constant may also be the end of another object, and remains a plain address.
  [[nodiscard]] llvm::Constant *pointer_to(std::uintptr_t address) const;

  /// Returns the result of a load of that type from the address, or null unless all of it is
  /// invariant memory, or one of the module's constants. Records the invariants that it depends on.
  llvm::Constant *load(std::uintptr_t address, llvm::Type &type);

  /// Returns the invariant whose memory contains the address; nothing if it is not invariant.
  [[nodiscard]] std::optional<std::uint64_t> invariant_at(std::uintptr_t address) const;

  /// True if the address is in an object that is at least partly invariant.
  [[nodiscard]] bool is_in_object(std::uintptr_t address) const;

  /// True if a pointer to this address is worth following, because invariant memory is there or
  /// shortly after it. A heuristic.
  [[nodiscard]] bool any_near(std::uintptr_t address) const;

  /// True if any of `size` bytes from there is invariant.
  [[nodiscard]] bool overlaps(std::uintptr_t address, std::uint64_t size) const;

  [[nodiscard]] bool can_call() const { return memory_ != nullptr; }
  /// Makes a call if can_call(), which may read all of the memory, and records all invariants.
  /// Nothing if one is no longer valid, or if the call throws.
  std::optional<std::uint64_t> call(const core::NativeCall &call);

  /// Returns the invariants that were used.
  [[nodiscard]] const std::set<std::uint64_t> &invariants() const { return invariants_; }

private:
  [[nodiscard]] const core::Region *find(std::uintptr_t address) const;
  [[nodiscard]] std::optional<llvm::APInt> bytes(std::uintptr_t address, unsigned size);

  const std::vector<core::Region> &regions_;
  const std::vector<core::Extent> &objects_;
  core::InvariantMemory *memory_;
  const std::map<std::string, void *, std::less<>> &symbols_;
  llvm::Module &module_;
  ConstantObjects constants_;
  std::map<std::uintptr_t, llvm::WeakVH> named_; ///< Null if the object was removed since.
  std::set<std::uint64_t> invariants_;
};

/// Returns the functions of `module` that words of invariant memory point to.
std::vector<llvm::Function *>
functions_in(const std::vector<core::Region> &regions,
             const std::map<std::string, void *, std::less<>> &symbols, llvm::Module &module);

} // namespace sartor::compiler

#endif

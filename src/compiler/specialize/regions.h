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

#include "compiler/specialize/constant_objects.h"
#include "core/request/promised_memory.h"

namespace sartor::compiler {

/// Invariant memory as one module sees it: constants that are addresses, and what is there. Plain
/// addresses stay plain addresses: LLVM would take a global variable made of a region for a whole
/// object, and what lies beside a region is the program's to use.
class Regions {
public:
  /// `reached` is what was read of `memory`; `symbols` are the addresses of names. All must outlive
  /// this.
  Regions(const core::Reached &reached, core::PromisedMemory &memory,
          const std::map<std::string, void *, std::less<>> &symbols, llvm::Module &module);

  /// The address that a constant pointer stands for, where it is known.
  [[nodiscard]] std::optional<std::uintptr_t> address_of(const llvm::Constant &pointer) const;

  /// A constant pointer with its variables, whose addresses are known, turned into addresses.
  /// Functions and constants of the module stay themselves, as other values do.
  [[nodiscard]] llvm::Constant *plain(llvm::Constant *constant) const;

  /// The pointer that an address is: a function of the module where one stands there. A constant's
  /// address may be the end of another object, and stays a plain address.
  [[nodiscard]] llvm::Constant *pointer_to(std::uintptr_t address) const;

  /// What a load of that type from there gives, or null if not all of it is invariant memory, or
  /// one of the module's constants. Notes the promises that it relies on.
  llvm::Constant *load(std::uintptr_t address, llvm::Type &type);

  /// The promise that memory there is part of; nothing if it is not invariant.
  [[nodiscard]] std::optional<std::uint64_t> promise_at(std::uintptr_t address) const;

  /// Whether that is in an object of which a part is invariant.
  [[nodiscard]] bool is_in_object(std::uintptr_t address) const;

  /// Whether it is worth while to see what comes of a pointer there: invariant memory is there or
  /// soon after. A guess.
  [[nodiscard]] bool any_near(std::uintptr_t address) const;

  /// Whether any of `size` bytes from there is invariant.
  [[nodiscard]] bool overlaps(std::uintptr_t address, std::uint64_t size) const;

  /// Makes a call, which may read any of the memory, and notes all promises. Nothing if one does
  /// not hold any more, or if the call throws.
  std::optional<std::uint64_t> call(const core::NativeCall &call);

  /// The promises that were relied on.
  [[nodiscard]] const std::set<std::uint64_t> &promises() const { return promises_; }

private:
  [[nodiscard]] const core::Region *find(std::uintptr_t address) const;
  [[nodiscard]] std::optional<llvm::APInt> bytes(std::uintptr_t address, unsigned size);

  const std::vector<core::Region> &regions_;
  const std::vector<core::Extent> &objects_;
  core::PromisedMemory &memory_;
  const std::map<std::string, void *, std::less<>> &symbols_;
  llvm::Module &module_;
  ConstantObjects constants_;
  std::map<std::uintptr_t, llvm::WeakVH> named_; ///< Null where it has been taken away since.
  std::set<std::uint64_t> promises_;
};

/// The functions of `module` to which words of invariant memory point.
std::vector<llvm::Function *>
functions_in(const std::vector<core::Region> &regions,
             const std::map<std::string, void *, std::less<>> &symbols, llvm::Module &module);

} // namespace sartor::compiler

#endif

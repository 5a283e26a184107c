// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_REGIONS_H
#define SARTOR_SPECIALIZE_REGIONS_H

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "specialize/constant_objects.h"
#include "specialize/context.h"

namespace sartor::specialize {

/// Invariant memory as one module sees it: constants that are addresses, and what is there. Plain
/// addresses stay plain addresses: LLVM would take a global variable made of a region for a whole
/// object, and what lies beside a region is the program's to use.
class Regions {
public:
  /// `regions` are sorted by address and disjoint; `symbols` are the addresses of names. Both and
  /// the module must outlive this.
  Regions(const std::vector<Region> &regions,
          const std::map<std::string, void *, std::less<>> &symbols, llvm::Module &module);

  /// The address that a constant pointer stands for, where it is known.
  [[nodiscard]] std::optional<std::uintptr_t> address_of(const llvm::Constant &pointer) const;

  /// A constant pointer with its variables, whose addresses are known, turned into addresses.
  /// Functions and constants of the module stay themselves, as other values do.
  [[nodiscard]] llvm::Constant *plain(llvm::Constant *constant) const;

  /// The pointer that an address is: a function or constant of the module where one stands there.
  [[nodiscard]] llvm::Constant *pointer_to(std::uintptr_t address) const;

  /// What a load of that type from there gives, or null if not all of it is invariant memory, or
  /// one of the module's constants. Notes the promises that it relies on.
  llvm::Constant *load(std::uintptr_t address, llvm::Type &type);

  /// Whether any invariant memory is there or soon after: what a pointer that is computed from this
  /// one may well point to.
  [[nodiscard]] bool any_near(std::uintptr_t address) const;

  /// Whether that byte is invariant.
  [[nodiscard]] bool contains(std::uintptr_t address) const { return find(address) != nullptr; }

  /// Notes the promises of all invariant memory that can be reached through pointers from
  /// `address`.
  void rely_on_all_reached_from(std::uintptr_t address);
  /// Notes all promises.
  void rely_on_all();

  /// The promises that were relied on.
  [[nodiscard]] const std::set<std::uint64_t> &promises() const { return promises_; }

private:
  [[nodiscard]] const Region *find(std::uintptr_t address) const;
  [[nodiscard]] std::optional<llvm::APInt> bytes(std::uintptr_t address, unsigned size);

  const std::vector<Region> &regions_;
  const std::map<std::string, void *, std::less<>> &symbols_;
  llvm::Module &module_;
  ConstantObjects constants_;
  std::map<std::uintptr_t, llvm::GlobalObject *> named_;
  std::set<std::uint64_t> promises_;
};

/// The functions of `module` to which words of invariant memory point.
std::vector<llvm::Function *>
functions_in(const std::vector<Region> &regions,
             const std::map<std::string, void *, std::less<>> &symbols, llvm::Module &module);

} // namespace sartor::specialize

#endif

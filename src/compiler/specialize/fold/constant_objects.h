// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_CONSTANT_OBJECTS_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_CONSTANT_OBJECTS_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "core/request/context.h"

namespace sartor::compiler {

/// Visits the possible pointers of `width` bytes in memory at `address`: the aligned words.
template <class Visit>
void for_each_word(const std::string &bytes, std::uintptr_t address, std::size_t width,
                   Visit visit) {
  static_assert(std::endian::native == std::endian::little);
  for (std::size_t at = -address % width; at + width <= bytes.size(); at += width) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, width);
    visit(word);
  }
}

/// The program's constants whose contents a module contains, by address: virtual tables, tables of
/// operations. They never change, so pointers into them need no invariant.
class ConstantObjects {
public:
  ConstantObjects(const llvm::Module &module,
                  const std::map<std::string, void *, std::less<>> &symbols);

  /// Returns the result of a load of that type from the address, or null unless a single constant
  /// covers it.
  [[nodiscard]] llvm::Constant *load(std::uintptr_t address, llvm::Type &type) const;

  /// Returns the constants that words of invariant memory point to.
  [[nodiscard]] std::vector<const llvm::GlobalVariable *>
  pointed_to_by(const std::vector<core::Region> &regions) const;

private:
  struct Object {
    const llvm::GlobalVariable *variable;
    std::uint64_t size;
  };
  using Objects = std::map<std::uintptr_t, Object>;

  [[nodiscard]] Objects::const_iterator find(std::uintptr_t address) const;

  const llvm::DataLayout &layout_;
  Objects objects_;
};

} // namespace sartor::compiler

#endif

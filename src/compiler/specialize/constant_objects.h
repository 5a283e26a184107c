// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_CONSTANT_OBJECTS_H
#define SARTOR_COMPILER_SPECIALIZE_CONSTANT_OBJECTS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "core/request/context.h"

namespace sartor::compiler {

/// The program's constants whose contents a module knows, by address: virtual tables, tables of
/// operations. They never change, so what points into them needs no promise.
class ConstantObjects {
public:
  ConstantObjects(const llvm::Module &module,
                  const std::map<std::string, void *, std::less<>> &symbols);

  /// What a load of that type from there gives, or null where no one constant is there.
  [[nodiscard]] llvm::Constant *load(std::uintptr_t address, llvm::Type &type) const;

  /// Those to which words of invariant memory point.
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

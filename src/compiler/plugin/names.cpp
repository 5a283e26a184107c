// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/xxhash.h>

#include "compiler/frontend/bitcode.h"

namespace sartor::compiler {

using namespace llvm;

Originals::Originals(Module &native, const ValueToValueMapTy &copies) {
  for (GlobalValue &value : native.global_values())
    if (auto found = copies.find(&value); found != copies.end() && found->second)
      pairs_.emplace_back(WeakVH(found->second), &value);
}

DenseMap<const GlobalValue *, GlobalValue *> Originals::living() const {
  DenseMap<const GlobalValue *, GlobalValue *> found;
  for (const auto &[copy, original] : pairs_)
    if (const llvm::Value *value = copy)
      found[cast<GlobalValue>(value)] = original;
  return found;
}

std::string local_suffix(const Module &module) {
  return ".sartor." + utohexstr(xxh3_64bits(compiler::bitcode_of(module)), /*LowerCase=*/true);
}

} // namespace sartor::compiler

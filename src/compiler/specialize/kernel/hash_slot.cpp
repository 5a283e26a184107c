// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/kernel/hash_slot.h"

namespace sartor::compiler {

using namespace llvm;

llvm::Value *hash_slot(IRBuilder<> &builder, const PerfectHash &hash, GlobalVariable &displacements,
                       llvm::Value &key) {
  Type *const narrow = builder.getInt16Ty();
  llvm::Value *product = builder.CreateMul(&key, builder.getInt64(hash.multiplier));
  llvm::Value *bucket = builder.CreateLShr(product, hash.bucket_shift);
  llvm::Value *displacement = builder.CreateZExt(
      builder.CreateLoad(narrow, builder.CreateInBoundsGEP(narrow, &displacements, bucket)),
      builder.getInt64Ty());
  return builder.CreateAnd(
      builder.CreateXor(builder.CreateLShr(product, hash.slot_shift), displacement),
      builder.getInt64(hash.slots - 1));
}

} // namespace sartor::compiler

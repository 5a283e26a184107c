// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_KERNEL_PERFECT_HASH_H
#define SARTOR_COMPILER_SPECIALIZE_KERNEL_PERFECT_HASH_H

#include <cstdint>
#include <span>
#include <vector>

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>

namespace sartor::compiler {

/// A hash function without collisions on a given set of keys ("hash and displace", R. Pagh, "Hash
/// and Displace: Efficient Evaluation of Minimal Perfect Hash Functions", WADS 1999): the product's
/// upper bits choose a bucket, whose displacement moves the lower ones.
///
///     product = key * multiplier
///     slot = (product >> slot_shift ^ displacements[product >> bucket_shift]) & (slots - 1)
struct PerfectHash {
  std::uint64_t multiplier = 0;
  unsigned bucket_shift = 0; ///< Leaves log2(displacements.size()) bits.
  unsigned slot_shift = 0;
  std::vector<std::uint16_t> displacements; ///< The size is a power of two.
  std::size_t slots = 0;                    ///< A power of two, at least the number of keys.

  [[nodiscard]] std::size_t slot(std::uint64_t key) const;
};

/// Finds a hash function for at most 65,536 distinct keys. It has at least two slots per key, so
/// that the search takes time linear in their number.
PerfectHash find_perfect_hash(std::span<const std::uint64_t> keys);

/// Generates code for PerfectHash::slot() of a 64-bit key. `displacements` is a table with the
/// hash's displacements.
llvm::Value *hash_slot(llvm::IRBuilder<> &builder, const PerfectHash &hash,
                       llvm::GlobalVariable &displacements, llvm::Value &key);

} // namespace sartor::compiler

#endif

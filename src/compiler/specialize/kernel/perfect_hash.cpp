// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/kernel/perfect_hash.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr unsigned kSlotsPerKey = 2;
constexpr unsigned kKeysPerBucket = 4;

/// Places buckets, the fullest first, each with the first displacement for which all its slots are
/// free.
bool place(PerfectHash &hash, std::span<const std::uint64_t> keys) {
  std::vector<std::vector<std::uint64_t>> buckets(hash.displacements.size());
  for (const std::uint64_t key : keys)
    buckets[key * hash.multiplier >> hash.bucket_shift].push_back(key);
  std::vector<std::size_t> order(buckets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater(), [&](std::size_t i) { return buckets[i].size(); });

  std::vector<bool> taken(hash.slots);
  std::vector<std::size_t> mine;
  const std::size_t most = std::min<std::size_t>(hash.slots, std::size_t{1} << 16);
  for (const std::size_t bucket : order) {
    bool placed = false;
    for (std::size_t displacement = 0; displacement < most && !placed; ++displacement) {
      hash.displacements[bucket] = static_cast<std::uint16_t>(displacement);
      mine.clear();
      placed = true;
      for (const std::uint64_t key : buckets[bucket]) {
        const std::size_t slot = hash.slot(key);
        if (taken[slot] || std::ranges::find(mine, slot) != mine.end()) {
          placed = false;
          break;
        }
        mine.push_back(slot);
      }
    }
    if (!placed)
      return false;
    for (const std::size_t slot : mine)
      taken[slot] = true;
  }
  return true;
}

} // namespace

std::size_t PerfectHash::slot(std::uint64_t key) const {
  const std::uint64_t product = key * multiplier;
  return (product >> slot_shift ^ displacements[product >> bucket_shift]) & (slots - 1);
}

PerfectHash find_perfect_hash(std::span<const std::uint64_t> keys) {
  PerfectHash hash;
  hash.slots = std::bit_ceil(std::max<std::size_t>(keys.size() * kSlotsPerKey, 2));
  const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(keys.size() / kKeysPerBucket, 2));
  hash.displacements.resize(buckets);
  hash.bucket_shift = 64 - static_cast<unsigned>(std::countr_zero(buckets));
  // The upper bits of a product are the best mixed ones; the slot's are those below the bucket's.
  hash.slot_shift = hash.bucket_shift - static_cast<unsigned>(std::countr_zero(hash.slots));
  std::mt19937_64 random(1); // a fixed seed, so that equal keys get equal tables
  do {
    hash.multiplier = random() | 1;
  } while (!place(hash, keys));
  return hash;
}

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

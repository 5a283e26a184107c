// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maglev.h"

#include "hash.h"

namespace nf {

namespace {

/// Seeds of two hashes of a name: the start of its permutation, and its step.
constexpr std::uint64_t kOffsetSeed = 0x8cb92ba72f3d8dd7;
constexpr std::uint64_t kSkipSeed = 0xd6e8feb86659fd93;

/// Enumerates the entries in one participant's order of preference.
class Permutation {
public:
  Permutation(std::uint64_t name, std::uint32_t size)
      : at_(nf_hash(&name, sizeof name, kOffsetSeed) % size),
        skip_(nf_hash(&name, sizeof name, kSkipSeed) % (size - 1) + 1), size_(size) {}

  std::uint32_t next() {
    const std::uint32_t at = at_;
    at_ = (at_ + skip_) % size_;
    return at;
  }

private:
  std::uint32_t at_;
  std::uint32_t skip_;
  std::uint32_t size_;
};

} // namespace

std::vector<std::uint16_t> maglev_table(std::span<const MaglevEntry> all, std::uint32_t size,
                                        std::uint16_t none) {
  std::vector<std::uint16_t> table(size, none);
  std::vector<Permutation> permutations;
  for (const MaglevEntry &one : all)
    permutations.emplace_back(one.name, size);
  std::uint32_t filled = 0;
  while (!all.empty())
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::uint32_t at = permutations[i].next();
      while (table[at] != none)
        at = permutations[i].next();
      table[at] = all[i].number;
      if (++filled == size)
        return table;
    }
  return table;
}

} // namespace nf

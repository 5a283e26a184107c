// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_GNU_HASH_H
#define SARTOR_LOADER_LIB_FILE_GNU_HASH_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace sartor::loader {

/// The symbols that a hash table finds: from `first` to the one before `end`; those before `first`
/// are imported. None: both are the same.
struct HashedSymbols {
  std::uint32_t first;
  std::uint32_t end;
};

/// Of DT_GNU_HASH; no table says how many symbols there are, but the last chain ends with the last
/// one. `table`: from its beginning to where memory ends, or further. Nothing if it is cut off.
/// Needs no C++ library.
inline std::optional<HashedSymbols> hashed_symbols(std::span<const std::byte> table) {
  const auto word = [&](std::uint64_t index) -> std::optional<std::uint32_t> {
    std::uint32_t value;
    if (index >= table.size() / sizeof value)
      return std::nullopt;
    std::memcpy(&value, &table[index * sizeof value], sizeof value);
    return value;
  };
  const auto buckets = word(0), first = word(1), filter_words = word(2);
  if (!buckets || !first || !filter_words)
    return std::nullopt;
  const std::uint64_t first_bucket = 4 + std::uint64_t{2} * *filter_words;
  std::uint32_t last = 0;
  for (std::uint64_t i = 0; i < *buckets; ++i) {
    const auto start = word(first_bucket + i);
    if (!start)
      return std::nullopt;
    last = last < *start ? *start : last;
  }
  if (last < *first)
    return HashedSymbols{*first, *first};
  for (;; ++last) {
    const auto hash = word(first_bucket + *buckets + (last - *first));
    if (!hash)
      return std::nullopt;
    if ((*hash & 1) != 0)
      return HashedSymbols{*first, last + 1};
  }
}

} // namespace sartor::loader

#endif

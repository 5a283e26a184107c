// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_GNU_HASH_H
#define SARTOR_LOADER_LIB_FILE_GNU_HASH_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace sartor::loader {

/// The range of symbols that a hash table contains, from `first` to `end` (exclusive); symbols
/// before `first` are imported. An empty table has equal bounds.
struct HashedSymbols {
  std::uint32_t first;
  std::uint32_t end;
};

/// Returns the symbols of DT_GNU_HASH. No table gives the number of symbols, but the last chain
/// ends with the last symbol. `table`: the memory from the table's beginning, at least to the
/// table's end. Returns nothing if the table is cut off. Needs no C++ library.
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

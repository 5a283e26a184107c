// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_WORDS_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_WORDS_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

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

} // namespace sartor::compiler

#endif

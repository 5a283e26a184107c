// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_HEXADECIMAL_H
#define SARTOR_LOADER_LIB_FILE_HEXADECIMAL_H

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace sartor::loader {

/// Formats a number as an address.
inline std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> text{};
  char *const end = std::to_chars(text.begin(), text.end(), number, 16).ptr;
  return "0x" + std::string(text.data(), static_cast<std::size_t>(end - text.data()));
}

} // namespace sartor::loader

#endif

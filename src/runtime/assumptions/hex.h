// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_HEX_H
#define SARTOR_RUNTIME_ASSUMPTIONS_HEX_H

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace sartor::runtime {

/// An address as messages show it.
inline std::string as_hex(std::uintptr_t address) {
  std::array<char, 2 * sizeof address> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), address, 16).ptr;
  return "0x" + std::string(digits.begin(), end);
}

} // namespace sartor::runtime

#endif

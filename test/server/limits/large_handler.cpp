// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A handler whose code contains a table of two mebibytes.
#include <array>
#include <cstdint>

#include <sartor/points.h>

namespace {

constexpr std::size_t kNumbers = 2 * 1024 * 1024 / sizeof(std::uint64_t);

constexpr std::array<std::uint64_t, kNumbers> numbers() {
  std::array<std::uint64_t, kNumbers> made{};
  std::uint64_t state = 1;
  for (std::uint64_t &each : made)
    each = state = state * 6364136223846793005U + 1442695040888963407U;
  return made;
}

constexpr std::array<std::uint64_t, kNumbers> kTable = numbers();

} // namespace

SARTOR_HANDLER std::uint64_t number_at(std::uint64_t offset, std::uint64_t index) {
  return kTable[(index + sartor_generic("offset", offset)) % kNumbers];
}

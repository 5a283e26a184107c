// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_STOCK_ASSEMBLER_H
#define SARTOR_LOADER_LIB_STOCK_ASSEMBLER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

namespace sartor::loader {

inline constexpr std::size_t size_of_jump = 5;

/// Writes code into a buffer.
class Assembler {
public:
  Assembler(std::span<std::byte> to, std::uint64_t address) : to_(to), address_(address) {}

  void bytes(std::initializer_list<unsigned> values) {
    for (const unsigned value : values)
      to_[at_++] = std::byte{static_cast<unsigned char>(value)};
  }
  void bytes(std::span<const std::byte> values) {
    std::ranges::copy(values, to_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += values.size();
  }
  /// Writes the displacement that ends an instruction.
  void relative(std::uint64_t target) {
    const auto displacement = static_cast<std::int32_t>(target - (here() + 4));
    std::memcpy(&to_[at_], &displacement, sizeof displacement);
    at_ += sizeof displacement;
  }
  void jump(std::uint64_t target) {
    bytes({0xe9});
    relative(target);
  }
  void align(std::size_t to) { at_ = (at_ + to - 1) / to * to; }
  [[nodiscard]] std::uint64_t here() const { return address_ + at_; }
  [[nodiscard]] std::size_t room() const { return to_.size() - at_; }

private:
  std::span<std::byte> to_;
  std::uint64_t address_;
  std::size_t at_ = 0;
};

/// Redirects code by a jump; the rest of the code is never reached. `code`: the code at `address`,
/// with room for a jump.
inline void lead_to(std::span<std::byte> code, std::uint64_t address, std::uint64_t target) {
  Assembler(code, address).jump(target);
  std::ranges::fill(code.subspan(size_of_jump), std::byte{0x90});
}

} // namespace sartor::loader

#endif

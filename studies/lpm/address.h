// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_ADDRESS_H
#define LPM_ADDRESS_H

#include <cstdint>
#include <optional>
#include <string>

namespace lpm {

/// An IPv4 address; its first bit is the most significant one.
using Address4 = std::uint32_t;
/// An IPv6 address; its first bit is also the most significant one.
using Address6 = unsigned __int128;

template <class Address> constexpr unsigned bits = 8 * sizeof(Address);
template <class Address> constexpr Address last_address = static_cast<Address>(-1);

/// A mask of the first `length` bits; `length` is at most `bits`.
template <class Address> constexpr Address mask(unsigned length) {
  return length == 0 ? 0 : last_address<Address> << (bits<Address> - length);
}

constexpr Address6 address6(std::uint64_t high, std::uint64_t low) {
  return Address6{high} << 64 | low;
}
constexpr std::uint64_t high(Address6 address) { return static_cast<std::uint64_t>(address >> 64); }
constexpr std::uint64_t low(Address6 address) { return static_cast<std::uint64_t>(address); }

/// Parses 192.0.2.1 or 2001:db8::1. Empty if the text is not an address of that family.
template <class Address> std::optional<Address> parse_address(const std::string &text);
template <class Address> std::string text(Address address);

} // namespace lpm

#endif

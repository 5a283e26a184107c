// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "address.h"

#include <array>

#include <arpa/inet.h>

namespace lpm {

namespace {

template <class Address> constexpr int family = sizeof(Address) == 4 ? AF_INET : AF_INET6;

} // namespace

template <class Address> std::optional<Address> parse_address(const std::string &text) {
  std::array<unsigned char, sizeof(Address)> bytes{};
  if (inet_pton(family<Address>, text.c_str(), bytes.data()) != 1)
    return std::nullopt;
  Address address = 0;
  for (const unsigned char byte : bytes)
    address = static_cast<Address>(address << 8 | byte);
  return address;
}

template <class Address> std::string text(Address address) {
  std::array<unsigned char, sizeof(Address)> bytes{};
  for (std::size_t i = bytes.size(); i-- > 0; address >>= 8)
    bytes[i] = static_cast<unsigned char>(address);
  char buffer[INET6_ADDRSTRLEN];
  return inet_ntop(family<Address>, bytes.data(), buffer, sizeof buffer);
}

template std::optional<Address4> parse_address<Address4>(const std::string &);
template std::optional<Address6> parse_address<Address6>(const std::string &);
template std::string text<Address4>(Address4);
template std::string text<Address6>(Address6);

} // namespace lpm

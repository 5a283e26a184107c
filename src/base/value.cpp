// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/value.hpp>

#include <array>
#include <charconv>

namespace sartor {

namespace {

template <class T> std::string shortest(T number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

} // namespace

std::string Value::text() const {
  if (is_symbol())
    return symbol();
  if (is_floating())
    return shortest(floating());
  return is_large() ? shortest(bits()) : shortest(integer());
}

} // namespace sartor

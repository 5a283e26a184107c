// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/bound_argument.hpp>

namespace sartor {

BoundArgument BoundArgument::object(const void *memory, std::size_t bytes) {
  return BoundArgument(Bytes{std::string(static_cast<const char *>(memory), bytes)});
}

std::string BoundArgument::text() const {
  if (!is_object())
    return value().text();
  std::string text = "0x";
  for (const char byte : bytes()) {
    constexpr const char *digits = "0123456789abcdef";
    text += digits[static_cast<unsigned char>(byte) >> 4U];
    text += digits[static_cast<unsigned char>(byte) & 15U];
  }
  return text;
}

} // namespace sartor

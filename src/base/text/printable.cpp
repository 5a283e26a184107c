// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sartor::base {

namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

// The first character of a nonempty text; zero bytes if it is not valid UTF-8 (RFC 3629).
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80)
    return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes)
    return {0, 0};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return {0, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast.at(bytes) || code > 0x10ffff || is_surrogate)
    return {0, 0};
  return {code, bytes};
}

// C0, DEL and C1; line and paragraph separators; marks that reorder the text around them.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

void escape(std::string &out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char each : bytes) {
    const auto byte = static_cast<std::uint8_t>(each);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

} // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty() && out.size() < most) {
    const auto [code, valid] = first_of(text);
    const std::size_t bytes = std::max<std::size_t>(valid, 1);
    if (valid == 0 || is_control(code))
      escape(out, text.substr(0, bytes));
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  if (!text.empty())
    out += "…";
  return out;
}

} // namespace sartor::base

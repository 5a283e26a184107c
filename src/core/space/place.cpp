// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/place.h"

#include <charconv>

namespace sartor::core {

std::string text_of(const Place &place) {
  if (place.offset == 0)
    return place.symbol;
  return place.symbol + (place.offset > 0 ? "+" : "") + std::to_string(place.offset);
}

Place to_place(std::string_view text) {
  const auto sign = text.find_last_of("+-");
  if (sign == std::string_view::npos || sign == 0)
    return {std::string(text), 0};
  const std::string_view digits = text.substr(sign + (text[sign] == '+' ? 1 : 0));
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offset);
  if (error != std::errc() || end != digits.data() + digits.size())
    return {std::string(text), 0};
  return {std::string(text.substr(0, sign)), offset};
}

} // namespace sartor::core

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_PLACE_H
#define SARTOR_CORE_SPACE_PLACE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace sartor::core {

/// An address by name: a symbol, and an offset from it: `table`, `table+32`.
struct Place {
  std::string symbol;
  std::int64_t offset = 0;
};

std::string text_of(const Place &place);
/// Text in another format is a symbol without an offset.
Place to_place(std::string_view text);

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work.h"

namespace modes {

std::string make_text(std::size_t lines) {
  // A word by itself, the end of another, within another, beside letters of two bytes.
  constexpr std::array<std::string_view, 6> endings{"lock",    "a lock is",    "unlock",
                                                    "blocked", "\xc3\xa4lock", "lock\xc3\xa9 lock"};
  std::string text = "\n";
  for (std::size_t i = 0; i < lines; ++i) {
    text += std::string(i % 7, 'x') + " ";
    text += endings[i % endings.size()];
    text += '\n';
  }
  return text;
}

} // namespace modes

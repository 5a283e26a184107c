// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A binding of an argument behind a std::string_view.
#include "shape.h"
#include <string_view>
SHAPE_C SARTOR_HANDLER long count(std::string_view text, int letter) {
  long n = 0;
  for (const char c : text)
    n += c == sartor_generic("letter", letter);
  return n;
}
CALLED(count);
HANDLERS(LISTED(count));
BINDINGS({"count", 1, 'a', nullptr});
SHAPE_C void program_run(unsigned input) {
  const std::string_view text = std::string_view("abracadabra").substr(LOW(input));
  const int letter = 'a' + int(HIGH(input));
  void *bound = program_bindings[0].bound;
  const bool is_bound = bound && letter == 'a';
  observe_number(is_bound ? reinterpret_cast<long (*)(std::string_view)>(bound)(text)
                          : call_count(text, letter));
}

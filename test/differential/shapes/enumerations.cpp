// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations: negative enumerators, of classes, of one byte, packed; points of odd widths.
#include "shape.h"
enum class M : int { none = -1, a = 1, b = 2 };
enum Old { minus = -5, nothing = 0, plus = 5 };
enum class Byte : unsigned char { low = 1, high = 200 };
enum class Yes : bool { no, yes };
SHAPE_C {
  SARTOR_HANDLER long of_class(M m) {
    return sartor_enum("m", m, M::none, M::a) == M::none ? 1 : static_cast<long>(m) * 2;
  }
  SARTOR_HANDLER long old(Old m) { return sartor_generic("o", m) == minus ? 1 : m; }
  SARTOR_HANDLER long byte(Byte b) {
    return sartor_enum("b", b, Byte::low, Byte::high) == Byte::high ? 7 : 8;
  }
  SARTOR_HANDLER long yes(Yes y) { return sartor_generic("y", y) == Yes::yes ? 3 : 4; }
  SARTOR_HANDLER long bits(signed _BitInt(20) n, unsigned _BitInt(13) u) {
    return sartor_generic("bi", n) == -1 ? 1 : 2 + static_cast<long>(sartor_generic("bu", u));
  }
}
CALLED(of_class);
CALLED(old);
CALLED(byte);
CALLED(yes);
CALLED(bits);
HANDLERS(LISTED(of_class), LISTED(old), LISTED(byte), LISTED(yes), LISTED(bits));
const char *program_configurations[] = {R"({"m": -1, "o": -5, "bi": -1})",
                                        R"({"m": [-1, 1], "b": 200, "y": 1})", nullptr};
SHAPE_C void program_run(unsigned input) {
  constexpr M ms[] = {M::none, M::a, M::b};
  constexpr Old olds[] = {minus, nothing, plus};
  observe_number(call_of_class(ms[input % 3]));
  observe_number(call_old(olds[input % 3]));
  observe_number(call_byte(input % 2 == 0 ? Byte::low : Byte::high));
  observe_number(call_yes(input % 2 == 0 ? Yes::no : Yes::yes));
  observe_number(call_bits(static_cast<signed _BitInt(20)>(LOW(input)) - 2,
                           static_cast<unsigned _BitInt(13)>(input)));
}

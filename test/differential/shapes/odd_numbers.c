/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of odd sizes: _BitInt, 128 bits, half, long double, characters of all kinds. */
#include "shape.h"
typedef _BitInt(37) b37;
typedef unsigned _BitInt(13) u13;
SARTOR_HANDLER long bit_int(b37 x, u13 y) {
  return (long)sartor_generic("b37", x) * 3 + (long)sartor_generic("u13", y);
}
SARTOR_HANDLER __int128 wide(__int128 x, long k) { return x * sartor_generic("wide", k); }
SARTOR_HANDLER long double extended(long double x, int k) {
  return x / (long double)(sartor_generic("ld", k) + 1);
}
SARTOR_HANDLER float half(float x, int k) {
  return (float)((_Float16)x / (_Float16)(sartor_generic("half", k) + 1));
}
SARTOR_HANDLER int characters(signed char a, unsigned char b, char c) {
  return sartor_generic("sc", a) * 10000 + sartor_generic("uc", b) * 100 + sartor_generic("ch", c);
}
CALLED(bit_int);
CALLED(wide);
CALLED(extended);
CALLED(half);
CALLED(characters);
HANDLERS(LISTED(bit_int), LISTED(wide), LISTED(extended), LISTED(half), LISTED(characters));
void program_run(unsigned input) {
  const long a = LOW(input), b = HIGH(input);
  observe_number((unsigned long long)call_bit_int((b37)a - 3, (u13)b));
  const __int128 w = call_wide(((__int128)a << 70) + 3, b);
  observe(&w, sizeof w);
  const long double e = call_extended(1.25L + (long double)a, (int)b);
  observe(&e, 10);
  const float h = call_half((float)a + 0.5f, (int)b);
  observe(&h, sizeof h);
  observe_number((unsigned long long)call_characters((signed char)(a - 3), (unsigned char)(b + 250),
                                                     (char)(a + 60)));
}

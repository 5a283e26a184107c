// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table of labels of one function, which another one's copy has to do without. Code behind the
// fast path writes through a pointer, so that it is looked at inlined. inputs: 16
#include "shape.h"
SHAPE_C SARTOR_HANDLER int interpret(const unsigned char *code, int accumulator) {
  static const void *const operations[] = {&&done, &&increment, &&twice, &&negate};
  const int step = sartor_range("step", code[0] & 3, 1, 3);
  ++code;
  goto *operations[*code++ & 3];
increment:
  accumulator += step;
  goto *operations[*code++ & 3];
twice:
  accumulator *= 2;
  goto *operations[*code++ & 3];
negate:
  accumulator = -accumulator;
  goto *operations[*code++ & 3];
done:
  return accumulator;
}
__attribute__((noinline)) static void split(unsigned key, unsigned *high, unsigned *low) {
  *high = key >> 3;
  *low = key & 7;
}
static unsigned mixed(unsigned key) {
  unsigned high, low;
  split(key, &high, &low);
  return high * 5 + low;
}
SHAPE_C SARTOR_HANDLER unsigned look_up(unsigned key) {
  return sartor_fast_path("mixed", mixed, key);
}
CALLED(interpret);
CALLED(look_up);
HANDLERS(LISTED(interpret), LISTED(look_up));
SHAPE_C void program_run(unsigned input) {
  const unsigned char code[] = {
      (unsigned char)input, 1, 2, (unsigned char)(input & 3), 3, 1, 0, 0, 0};
  observe_number(call_interpret(code, (int)input));
  observe_number((long long)call_look_up(input & 7));
}

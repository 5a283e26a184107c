/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is a handler's own for a while, among points that fail and callees that look at it,
 * move it, or never come back. */
#include <setjmp.h>
#include <string.h>

#include "shape.h"
struct Frame {
  long slots[4];
  union {
    double real;
    long whole;
    char bytes[8];
  } mixed;
};
static struct Frame frames[2];
static struct Frame *frame;
static jmp_buf back;
__attribute__((noinline)) static void look(long k) {
  observe(frame, sizeof *frame);
  frame->slots[k & 3] ^= k;
}
__attribute__((noinline)) static void look_and_move(long k) {
  look(k);
  struct Frame *next = frame == frames ? frames + 1 : frames;
  *next = *frame;
  memset(frame, 0x55, sizeof *frame);
  frame = next;
}
__attribute__((noinline)) static void look_and_leave(long k) {
  look(k);
  longjmp(back, 1);
}
__attribute__((noinline)) static void change(long *slot) { *slot = *slot * 7 + 1; }
__attribute__((noinline)) static long of_no_interest(long k) { return k * k; }
SARTOR_HANDLER long run(long a, long b, long step) {
  struct Frame *f = sartor_local(frame, sizeof *frame);
  f->slots[0] = a;
  for (long i = 0; i < 3 + b; ++i) {
    f->slots[1] += f->slots[0] * sartor_range("factor", a, 1, 3);
    f->slots[2] = of_no_interest(f->slots[1] + i);
    switch (sartor_enum("how", (step + i) % 8, 0, 2, 4)) {
    case 0:
      sartor_publish();
      look(i);
      f = sartor_local(frame, sizeof *frame);
      break;
    case 1:
      change(&f->slots[b & 3]);
      break;
    case 2:
      f->slots[(f->slots[2] + i) & 3] -= 5;
      break;
    case 3:
      if (!sartor_assume("few", f->slots[1] < 40))
        continue;
      sartor_publish();
      look_and_move(i);
      f = sartor_local(frame, sizeof *frame);
      break;
    case 4:
      f->mixed.real = (double)f->slots[1] / 3;
      f->mixed.bytes[3] = (char)i;
      break;
    case 5:
      memcpy(&f->slots[2], &f->slots[0], 2 * sizeof(long));
      break;
    case 6:
      sartor_publish();
      if (i == 4)
        look_and_leave(a);
      look(a);
      break; /* it is not ours from here on, on this way */
    default:
      f = sartor_local(f, sizeof *frame);
      f->slots[3] = sartor_generic("mixed", f->mixed.whole & 15);
    }
  }
  return f->slots[1] + f->mixed.whole;
}
CALLED(run);
HANDLERS(LISTED(run));
void program_run(unsigned input) {
  memset(frames, 0, sizeof frames);
  frame = frames;
  if (!setjmp(back))
    observe_number((unsigned long long)call_run(LOW(input), HIGH(input), input % 7));
  look(1);
}

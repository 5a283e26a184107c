/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One file that is compiled twice, so that its static variables and functions exist twice. */
/* again: -DSECOND */
#include "shape.h"
#ifdef SECOND
#define NAME(name) second_##name
#define BEGIN 20
#else
#define NAME(name) first_##name
#define BEGIN 10
#endif
static long state;
static long step(long x) { return x * BEGIN; }
SARTOR_HANDLER long NAME(run)(long x) {
  state += step(sartor_generic(
#ifdef SECOND
      "second",
#else
      "first",
#endif
      x));
  return state;
}
long (*volatile NAME(called))(long) = NAME(run);
void NAME(reset)(void) { state = BEGIN; }
#ifdef SECOND
extern long (*volatile first_called)(long);
void first_reset(void);
HANDLERS({"first_run", (void **)&first_called}, {"second_run", (void **)&second_called});
void program_run(unsigned input) {
  first_reset();
  second_reset();
  observe_number((unsigned long long)first_called(LOW(input)));
  observe_number((unsigned long long)second_called(LOW(input)));
  observe_number((unsigned long long)first_called(HIGH(input)));
}
#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that looks at who calls it, and code that notes where it is. */
#include "shape.h"
#include <dlfcn.h>
#ifndef RTLD_NEXT
#define RTLD_NEXT ((void *)-1l)
#endif
__attribute__((noinline)) static long is_called_from_code(void) {
  extern const char __executable_start, etext;
  const char *caller = __builtin_return_address(0);
  return caller >= &__executable_start && caller < &etext;
}
SARTOR_HANDLER long looks(long x) {
  const long way = sartor_generic("way", x);
  const long next = dlsym(RTLD_NEXT, "free") != 0;
  return way * 10 + next;
}
SARTOR_HANDLER long is_looked_at(long x) {
  return sartor_generic("looked", x) * 10 + is_called_from_code();
}
struct place {
  long offset;
};
extern const struct place __start_places[], __stop_places[];
SARTOR_HANDLER long notes(long x) {
  __asm__ volatile("1: nop\n\t.pushsection places, \"a\"\n\t.quad 1b - .\n\t.popsection");
  return sartor_generic("noted", x) + (__stop_places > __start_places);
}
CALLED(looks);
CALLED(is_looked_at);
CALLED(notes);
HANDLERS(LISTED(looks), LISTED(is_looked_at), LISTED(notes));
void program_run(unsigned input) {
  observe_number((unsigned long long)call_looks(LOW(input)));
  observe_number((unsigned long long)call_is_looked_at(LOW(input)));
  observe_number((unsigned long long)call_notes(LOW(input)));
}

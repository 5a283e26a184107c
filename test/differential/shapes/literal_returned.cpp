// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a handler gives away stays: texts that it has returned, stored or thrown, after other code
// is active.
#include "shape.h"
SHAPE_C SARTOR_HANDLER const char *name_of(long x) {
  return sartor_generic("x", x) == 3 ? "three is its name" : "any other name";
}
SHAPE_C SARTOR_HANDLER long record(long x, const char **out) {
  *out = "a text that is kept";
  if (sartor_generic("y", x) == 2)
    throw "a text that is thrown";
  return x;
}
CALLED(name_of);
CALLED(record);
HANDLERS(LISTED(name_of), LISTED(record));
static const char *kept[36][3];
static void observe_kept(const char *&place, const char *now) {
  if (!place)
    place = now;
  observe_text(place);
  place = now;
}
SHAPE_C void program_run(unsigned input) {
  const char **mine = kept[input % 36], *now = nullptr;
  observe_kept(mine[0], call_name_of(LOW(input)));
  try {
    observe_number(call_record(LOW(input), &now));
  } catch (const char *thrown) {
    observe_kept(mine[1], thrown);
  }
  observe_kept(mine[2], now);
}

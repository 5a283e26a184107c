// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handler.h"
SHAPE_C SARTOR_HANDLER long one(long x) { return shared(x) + helper(x); }
CALLED(one);
static long (*volatile call_shared)(long) = shared;
SHAPE_C long (*volatile call_two)(long);
HANDLERS(LISTED(one), LISTED(two), {"_Z6sharedl", (void **)&call_shared});
SHAPE_C void program_run(unsigned input) {
  observe_number(call_one(LOW(input)));
  observe_number(call_two(LOW(input)));
  observe_number(call_shared(HIGH(input)));
}

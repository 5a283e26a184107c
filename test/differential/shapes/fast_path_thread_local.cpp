// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fast path of a function that gives the address of a thread's own variable: each thread has its
// own. inputs: 8
#include "shape.h"
#include <thread>
static thread_local int slots[8];
static int *slot_of(int i) { return &slots[i & 7]; }
SHAPE_C SARTOR_HANDLER int *own_slot(int i) { return sartor_fast_path("slot", slot_of, i); }
CALLED(own_slot);
HANDLERS(LISTED(own_slot));
static void use(int i) {
  *call_own_slot(i) = 3;
  observe_number(slots[i & 7]);
  slots[i & 7] = 0;
}
SHAPE_C void program_run(unsigned input) {
  use(int(LOW(input)));
  std::thread(use, int(LOW(input))).join();
}

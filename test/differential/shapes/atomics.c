/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Atomic variables of all sizes, and volatile ones. */
#include "shape.h"
#include <stdatomic.h>
static _Atomic int number;
static _Atomic(long) wide;
static _Atomic unsigned char small;
static volatile int touched;
SARTOR_HANDLER int all(int x) {
  number += x;
  const int k = sartor_generic("k", number);
  number = k + 1;
  long expected = x;
  if (!atomic_compare_exchange_strong(&wide, &expected, (long)sartor_generic("w", x) * 5))
    atomic_fetch_xor_explicit(&wide, expected, memory_order_acq_rel);
  small = (unsigned char)(small * 3 + x);
  ++touched;
  touched = touched * 2;
  return k * 10 + atomic_fetch_sub(&number, 2) + small;
}
CALLED(all);
HANDLERS(LISTED(all));
void program_run(unsigned input) {
  number = 5;
  wide = 2;
  small = 200;
  touched = 1;
  for (int i = 0; i < 3; ++i)
    observe_number((unsigned long long)call_all((int)LOW(input) - i));
  observe_number((unsigned long long)wide + (unsigned long long)touched);
}

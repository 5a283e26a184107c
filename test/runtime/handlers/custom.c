/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "custom.h"

#include <sartor/points.h>

unsigned custom_table[4] = {3, 5, 7, 11};
int custom_calls;

static unsigned find(unsigned i) { return custom_table[i % 4]; }

static int subtract(int a, int b) {
  ++custom_calls;
  return a - b;
}

SARTOR_HANDLER unsigned custom_lookup(unsigned i) {
  return 2 * sartor_custom("lookup", "table", find, i);
}

SARTOR_HANDLER int custom_difference(int a, int b) {
  return 2 * sartor_custom("difference", "arithmetic", subtract, a, b);
}

SARTOR_HANDLER unsigned custom_plain(unsigned x) { return x * sartor_enum("plain", x, 1, 2); }

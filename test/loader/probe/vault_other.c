// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vault.h"

static long calls = 1;

static long in_callback(void *data) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
  return *(long *)data;
}

long vault_other(long number) {
  return vault_call(in_callback, &number) + vault_integers(1, 0, 0, 0, 0, 0, 0, 0, 0, 1);
}

long vault_other_calls(void) { return __atomic_load_n(&calls, __ATOMIC_SEQ_CST); }

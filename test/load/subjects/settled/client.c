/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Refers to something of each kind by words of data, and by calls and reads. */
#include "settled.h"

int settled_own(void) { return 1; }

const void *settled_words[settled_addresses] = {
    settled_data,
    &settled_data[3],
    (const char *)settled_data + (1 << 24), /* out of the library's range */
    (const void *)settled_function,
    (const void *)settled_protected,
    (const void *)settled_interposed,
    (const void *)settled_indirect,
    (const void *)settled_versioned,
    (const void *)settled_missing,
    &settled_unique,
    (const void *)settled_own,
    (const void *)settled_words,
};

/* The constructor's entry is a symbolic relocation among relative ones. */
__attribute__((section(".init_array"), used)) static void (*const begin)(void) = settled_begin;

int settled_sum(void) {
  return settled_data[1] + settled_thread + settled_unique + settled_function() +
         settled_protected() + settled_interposed() + settled_indirect() + settled_versioned() +
         (settled_missing ? settled_missing() : 0) + settled_own();
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the client's references with its own, and with the addresses that the stock loader
 * looks up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "settled.h"

int settled_interposed(void) { return 300; }

static int wrong;

static void check(int holds, const char *what) {
  if (!holds) {
    printf("wrong: %s\n", what);
    wrong = 1;
  }
}

static void check_word(int index, const char *name, const void *own) {
  check(settled_words[index] == own, name);
  check(settled_words[index] == dlsym(RTLD_DEFAULT, name), name);
}

int main(void) {
  check_word(0, "settled_data", settled_data);
  check(settled_words[1] == &settled_data[3], "within data");
  check(settled_words[2] == (const char *)settled_data + (1 << 24), "beside data");
  check_word(3, "settled_function", (const void *)settled_function);
  check_word(4, "settled_protected", dlsym(RTLD_DEFAULT, "settled_protected"));
  check_word(5, "settled_interposed", (const void *)settled_interposed);
  check(((int (*)(void))settled_words[6])() == 40, "indirect");
  check_word(7, "settled_versioned", dlsym(RTLD_DEFAULT, "settled_versioned"));
  check(settled_words[8] == NULL, "missing");
  check_word(9, "settled_unique", &settled_unique);
  check_word(10, "settled_own", (const void *)settled_own);
  check_word(11, "settled_words", (const void *)settled_words);
  for (int again = 0; again < 2; ++again)
    check(settled_sum() == 2 + 5 + 70 + 10 + 20 + 300 + 40 + 60 + 1, "the sum");
  check(settled_begun == 1, "begun");
  check(settled_classes() == 1, "classes");
  puts(wrong ? "failed" : "all as expected");
  return wrong;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_DEVICE_HANDLERS_H
#define SARTOR_TEST_DEVICE_HANDLERS_H

#include <stdint.h>

/* Variables of the program that handlers write and read. */
extern int64_t calls_seen;
extern const int32_t weights[8];
int64_t outside(int64_t a, int64_t b);
double outside_real(double a);
/* Not visible to other libraries. */
extern __attribute__((visibility("hidden"))) int64_t hidden_limit;
__attribute__((noreturn)) void give_up(int64_t a);

/* A list of rules, some of which are reached through pointers. */
struct rule {
  uint32_t from;
  uint32_t to;
  int32_t verdict;
  const struct rule *next;
};
int32_t weight_of(const struct rule *rule, int32_t scale);
int64_t verdict(const struct rule *rules, int64_t key);

int64_t sums(int64_t a, int64_t b);
int64_t divisions(int64_t a, int64_t b);
int64_t reals(int64_t a, int64_t b);
int64_t choices(int64_t a, int64_t b);
int64_t copies(int64_t a, int64_t b);
int64_t narrow(int64_t a, int64_t b);
int64_t hidden(int64_t a, int64_t b);

#endif

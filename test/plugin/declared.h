/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_PLUGIN_DECLARED_H
#define SARTOR_TEST_PLUGIN_DECLARED_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum side { BUY = 1, SELL = -1 };

extern int mode;

long trade(enum side side, unsigned char amount, long limit, const char *note, bool urgent,
           long other);
int twice(int x);
void set_mode(int to);
int *mode_address(void);
void set_holders(int to);
long sum(void);
const int *unit_of_price(void);
/* Of the program, asked whether `mode` may be written. */
int refuses_mode(void *address, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif

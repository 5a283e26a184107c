/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_PLUGIN_DECLARED_H
#define SARTOR_TEST_PLUGIN_DECLARED_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum Side { buy = 1, sell = -1 };

extern int mode;
extern int level;
extern int depth;

long trade(enum Side side, unsigned char amount, long limit, const char *note, bool urgent,
           long other);
int twice(int x);
void set_mode(int to);
void set_most(int to);
int most(void);
void set_level(int to);
void set_depth(int to);
int *mode_address(void);
void set_holders(int to);
long sum(void);
const int *unit_of_price(void);
/* Callbacks in the program: they decide whether `mode` may be written, or write `depth`
 * differently. */
int refuses_mode(void *address, unsigned long size);
int reinforces_depth(void *address, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum color { RED, GREEN = 7 };

void set_level(int value);
int *address_of_taken(void);
void listen(void);
long sum(int count, int step, int (*f)(int));
double mix(double x, float y, enum color color, bool up, const char *text, int unused);
long reads(int count);
int reads_only(const int *at);
long writes(int count);
long writes_below(int count);
long takes(int count, int *at);
long locks(int count);
long calls(int count, void (*changes)(int));
long hears(int count);
long counts(int count);
long spins(int count);
long others(int count);
int variadic(int count, ...);
int bare(int x);
int weak(int x);
int old();
#ifndef __cplusplus
__attribute__((ms_abi)) int foreign(int x);
static inline int level_of_header(void) { return 9; }
#endif
int add(int x);
int nothing(const char *text);
int caller(int x);
long work(int x);
double other(double x);
long members(int x);

#ifdef __cplusplus
}
#endif

#endif

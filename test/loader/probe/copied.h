// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_COPIED_H
#define SARTOR_LOADER_PROBE_COPIED_H

extern int copied_number;
extern const int copied_table[8];
int number_in_library(void);
void set_in_library(int number);
const int *table_in_library(void);
const int *place_in_library(void);
typedef int (*NumberFunction)(void);
NumberFunction function_in_library(void);

#endif

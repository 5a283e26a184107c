// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_POINTERS_H
#define SARTOR_LOADER_PROBE_POINTERS_H

typedef int (*Function)(void);

int of_program(void);
int of_library(void);
int other_of_library(void);
Function address_of_library(void);
Function address_by_other_library(void);
Function address_of_program(void);
Function *table_of_library(void);
void *address_of_qsort(void);

#endif

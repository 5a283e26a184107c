// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pointers.h"

#include <stdlib.h>

int of_library(void) { return 2; }
int other_of_library(void) { return 3; }

static Function table[] = {of_library, other_of_library};

Function address_of_library(void) { return of_library; }
Function address_of_program(void) { return of_program; }
Function *table_of_library(void) { return table; }
void *address_of_qsort(void) { return (void *)qsort; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "copied.h"

int copied_number = 17;
const int copied_table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

int number_in_library(void) { return copied_number; }
void set_in_library(int number) { copied_number = number; }
const int *table_in_library(void) { return copied_table; }
const int *place_in_library(void) { return &copied_number; }
NumberFunction function_in_library(void) { return number_in_library; }

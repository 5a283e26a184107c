// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tls.h"

__thread int general_variable TLS_MODEL("global-dynamic") = 100;
static __thread int local_variable TLS_MODEL("local-dynamic") = 200;
static __thread int other_local_variable TLS_MODEL("local-dynamic") = 1;
static __thread int initial_variable TLS_MODEL("initial-exec") = 300;
static __thread char filler[5000] TLS_MODEL("local-dynamic");
static __thread int zero_variable TLS_MODEL("local-dynamic");

int add_general(int number) { return general_variable += number; }
int add_local(int number) {
  local_variable += number * other_local_variable;
  return local_variable;
}
int add_initial(int number) { return initial_variable += number; }
int add_zero(int number) {
  filler[number] = (char)number;
  zero_variable += filler[number] == (char)number ? number : 0;
  return zero_variable + exported_variable - 400;
}
int *place_of_general(void) { return &general_variable; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program at fixed addresses: variables of the library are copied into it, and functions of the
// library have their canonical addresses there.
#include "copied.h"
#include "check.h"

int main(void) {
  CHECK(copied_number == 17);
  CHECK(copied_table[3] == 4);
  copied_number = 18;
  CHECK(number_in_library() == 18);
  set_in_library(19);
  CHECK(copied_number == 19);
  CHECK(copied_table == table_in_library());
  CHECK(&copied_number == place_in_library());
  CHECK(function_in_library() == number_in_library);
  CHECK(stdout && fileno(stdout) == 1);
  return wrong_count();
}

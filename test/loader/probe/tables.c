// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables that compilers make, of code of one model.
#include "tables.h"

int main(void) {
  check_tables();
  return wrong_count();
}

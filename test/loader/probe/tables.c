// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables that compilers make, in code of one code model.
#include "tables.h"

int main(void) {
  check_tables();
  return wrong_count();
}

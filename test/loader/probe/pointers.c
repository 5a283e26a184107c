// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "check.h"
#include "pointers.h"

int of_program(void) { return 1; }

static Function table[] = {of_program, of_library, other_of_library};

int main(void) {
  CHECK(table[1] == address_of_library());
  CHECK(of_library == address_of_library());
  CHECK(of_library == address_by_other_library());
  CHECK(of_program == address_of_program());
  CHECK(other_of_library == table_of_library()[1]);
  CHECK((void *)of_library == dlsym(RTLD_DEFAULT, "of_library"));
  CHECK((void *)qsort == address_of_qsort());
  CHECK((void *)qsort == dlsym(RTLD_DEFAULT, "qsort"));
  CHECK(table[1]() == 2 && table_of_library()[1]() == 3 && table_of_library()[0]() == 2);
  return wrong_count();
}

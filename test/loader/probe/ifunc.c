// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

int chosen_at_start(void);
int chosen_inside(void);
int (*address_of_chosen(void))(void);

static int (*pointer)(void) = chosen_at_start;

int main(void) {
  CHECK(chosen_at_start() == 2);
  CHECK(chosen_inside() == 2);
  CHECK(pointer() == 2);
  CHECK(pointer == address_of_chosen());
  // Indirect functions of the C library.
  char text[64] = "";
  CHECK(strlen(strcpy(text, "some text")) == 9);
  CHECK(memcmp(text, "some", 4) == 0 && strchr(text, 't') == text + 5);
  return wrong_count();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

const char *greeting(void) { return "good day"; }

const char *polite_greeting(void) {
  static char text[64];
  snprintf(text, sizeof text, "%s, please", greeting());
  return text;
}

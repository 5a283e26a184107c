// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "language.h"

static SARTOR_HANDLER int static_handler(int x, int mode) {
  return 1000 + x + sartor_enum("mode", mode, 1, 2, 3);
}
StaticHandler static_handler_of_static_too() { return &static_handler; }

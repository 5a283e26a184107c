/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define SARTOR_CHECK_LOCALS
#define NAME(function) function##_checked
#include "local_handlers.inc"

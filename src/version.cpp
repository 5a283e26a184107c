// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/c/sartor.h>

extern "C" const char *sartor_version(void) { return SARTOR_VERSION; }

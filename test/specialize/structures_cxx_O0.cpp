/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sartor/points.h>

#define NAMED(name) cxx_o0_##name
extern "C" {
#include "structure_handlers.inc"
}

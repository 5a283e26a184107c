/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define NAMED(name) c_o2_##name
#include "structure_handlers.inc"

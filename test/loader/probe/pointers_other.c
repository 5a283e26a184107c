// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pointers.h"

Function address_by_other_library(void) { return of_library; }

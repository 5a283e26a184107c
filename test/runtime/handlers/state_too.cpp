// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state.h"

#include <sartor/points.h>

static int count = 100;

SARTOR_HANDLER int add_other_static(int kind) { return count += sartor_enum("kind", kind, 1, 2); }

int read_other_static() { return count; }

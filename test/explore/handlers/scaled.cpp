// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scaled.h"

#include <sartor/points.h>

SARTOR_HANDLER int scaled(int x, int factor) { return x * sartor_enum("factor", factor, 2, 3, 5); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/points.h>

/// Has no effect but its result, so that its calls can be compared.
SARTOR_HANDLER long scale(long x, long by) { return x * sartor_enum("by", by, 2, 3) + 1; }

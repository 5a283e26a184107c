// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SCALED_H
#define SARTOR_TEST_SCALED_H

/// Returns x * factor. Point: "factor" (enum 2, 3, 5).
int scaled(int x, int factor);

#endif

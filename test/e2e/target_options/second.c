// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINTS
#error "a definition is missing"
#endif

int second(int x) { return x + 1; }

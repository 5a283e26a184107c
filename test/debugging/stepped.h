// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DEBUGGING_STEPPED_H
#define SARTOR_TEST_DEBUGGING_STEPPED_H

/// The handler that debuggers step through. Scripts find its lines by their comments.
int stepped(int value, int mode);

/// Not inlined: the program's.
int outside(int value);

#endif

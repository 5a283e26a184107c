// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a thread's own, in code of a program that is no library's.
// flags: -fPIE
#include "thread_locals.cpp"

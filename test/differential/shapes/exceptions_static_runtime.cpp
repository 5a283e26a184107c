// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same where the compiler's runtime is part of the program.
// link: -static-libgcc -static-libstdc++
#include "exceptions.cpp"

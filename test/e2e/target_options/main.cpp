// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

const char *greeting(int index);

int main() { return std::puts(greeting(0)) < 0; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter.h"

int main(void) { return tune(); }

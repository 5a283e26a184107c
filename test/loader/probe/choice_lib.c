// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int chosen(void) { return CHOICE; }

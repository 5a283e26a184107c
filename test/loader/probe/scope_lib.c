// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int shared_name(void) { return 2; }

int call_shared_name(void) { return shared_name(); }

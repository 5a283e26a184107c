// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__attribute__((visibility("hidden"))) int hidden_function(void);
__attribute__((visibility("protected"))) int protected_function(void);

int hidden_function(void) { return 2; }
int protected_function(void) { return 3; }
int interposed(void) { return 4; }
int shown(void) { return 1; }
int calls_hidden(void) { return hidden_function(); }
int calls_protected(void) { return protected_function(); }
int calls_interposed(void) { return interposed(); }

static int early;
__attribute__((constructor)) static void before_main(void) { early = interposed(); }
int calls_early(void) { return early; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loaded by dlopen(); calls the vault in its constructor.
#include "vault.h"

static double at_start;

__attribute__((constructor)) static void begin(void) { at_start = vault_mixed(1, 5L, 2.5); }

double plugin_number(void) { return at_start + vault_mixed(2, 1L, 1.0, 2L, 2.0); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_EXPORTS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_EXPORTS_H

#include <link.h>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

/// Creates a gate for each function that a library of the domain exports.
void make_gates(Domain &domain, const dl_phdr_info &library);

/// Points the library's symbols to these gates. The stock loader then finds the gates in place of
/// the functions for every lookup: slots that are filled on first use, libraries that are loaded
/// later (before their first code runs), and dlsym(). Only the symbols in memory change; debuggers
/// and profilers read the file. Returns false if memory cannot be written.
bool lead_symbols_to_gates(const dl_phdr_info &library);

} // namespace sartor::isolate

#endif

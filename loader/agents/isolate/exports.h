// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_EXPORTS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_EXPORTS_H

#include <link.h>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

/// Makes a gate for each function that a library of the domain exports.
void make_gates(Domain &domain, const dl_phdr_info &library);

/// Has the library's symbols lead to these gates: from now on the stock loader finds them in place
/// of the functions, whoever asks: slots that are filled when they are first used, libraries that
/// are loaded later, before their first code runs, and dlsym(). The symbols are there in memory
/// only; debuggers and profilers read the file. False if memory cannot be written.
bool lead_symbols_to_gates(const dl_phdr_info &library);

} // namespace sartor::isolate

#endif

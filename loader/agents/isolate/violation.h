// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_VIOLATION_H
#define SARTOR_LOADER_AGENTS_ISOLATE_VIOLATION_H

namespace sartor::isolate {

/// Installs a handler that reports accesses to a domain's data from outside, before the process
/// dies from them as before. Does nothing if the program handles SIGSEGV.
void report_violations();

} // namespace sartor::isolate

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_VIOLATION_H
#define SARTOR_LOADER_AGENTS_ISOLATE_VIOLATION_H

namespace sartor::isolate {

/// Has it said who touches a domain's data from outside, before the process dies of it as ever.
/// Nothing is done if the program has a handler for that signal.
void report_violations();

} // namespace sartor::isolate

#endif

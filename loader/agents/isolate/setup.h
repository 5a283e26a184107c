// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_SETUP_H
#define SARTOR_LOADER_AGENTS_ISOLATE_SETUP_H

namespace sartor::isolate {

/// Creates the domains that SARTOR_DOMAINS describes, and gates to the functions that their
/// libraries export. Later calls do nothing. Requires that all libraries with which the program
/// starts are loaded.
void find_domains();

/// Redirects all references from outside into domains through gates, and closes the domains.
void close_domains();

// Both functions above end the process on failure: it must not run without the domains that were
// requested.

/// Looks up the C library's own longjmp() and related functions early, because a lookup is not
/// possible when a signal handler jumps.
void find_jumps();

/// From now on, threads leave their domains when they end.
void follow_threads();

/// Installs a handler that reports accesses to a domain's data from outside, before the process
/// dies from them as before. Does nothing if the program handles SIGSEGV.
void report_violations();

} // namespace sartor::isolate

#endif

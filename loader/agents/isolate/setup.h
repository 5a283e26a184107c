// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_SETUP_H
#define SARTOR_LOADER_AGENTS_ISOLATE_SETUP_H

namespace sartor::isolate {

/// Makes the domains that SARTOR_DOMAINS says, once, and gates to what their libraries export. From
/// the time on at which all libraries are there that the program starts with.
void find_domains();

/// Has all that leads into domains from outside lead through gates, and closes them.
void close_domains();

// Both end the process if that cannot be done: it must not run as if the domains were there.

} // namespace sartor::isolate

#endif

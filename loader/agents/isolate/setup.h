// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_AGENTS_ISOLATE_SETUP_H
#define SARTOR_AGENTS_ISOLATE_SETUP_H

namespace sartor::isolate {

/// Makes the domains, has all that leads into them from outside lead through gates, and closes
/// them. `description`: what SARTOR_DOMAINS says. Ends the process if that cannot be done: it must
/// not run as if they were there.
void set_up_domains(const char *description);

} // namespace sartor::isolate

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_SUPPORT_SIGNALS_H
#define STUDIES_SUPPORT_SIGNALS_H

namespace studies {

/// Makes SIGINT and SIGTERM ask the program to end, and SIGHUP to read its configuration again, in
/// place of their default actions.
void listen_to_signals();

/// Returns true after SIGINT or SIGTERM.
bool end_requested();

/// Returns true once for each SIGHUP; several that arrive between two calls count as one.
bool reload_requested();

} // namespace studies

#endif

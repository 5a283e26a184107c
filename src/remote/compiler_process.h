// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_COMPILER_PROCESS_H
#define SARTOR_REMOTE_COMPILER_PROCESS_H

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <vector>

#include "remote/confine.h"

namespace sartor::remote {

// What the processes of sartor-compiler do (compiler_main.cpp). Each has one thread when it calls
// these.

/// Loads LLVM, and what is to be read of this machine. False without a compiler.
bool load_compiler();

/// Confines this process, and answers on the sockets that come over kSessionsSocket until that is
/// closed and the conversations are over. Gives the process's exit status.
int serve_sessions(const Confinement &how);

/// The sockets in a message on `over`, as many as are wanted; nothing if the other side has gone,
/// or sends something else.
std::optional<std::vector<int>> take_sockets(int over, std::size_t count);

/// These lead to /dev/null from now on: a reader of the program's output waits for the program's
/// end, not for ours.
void leave_to_program(std::initializer_list<int> files);

/// Keeps LLVM loaded, and forks a compiler for each pair of sockets that comes over
/// kSessionsSocket: what is kLifeSocket and kSessionsSocket to a process of its own. Tells on the
/// first how the compiler ended, and ends it when the other side has gone. Until kLifeSocket is
/// closed. Gives the process's exit status.
int fork_compilers(const Confinement &how);

} // namespace sartor::remote

#endif

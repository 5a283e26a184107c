// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_COMPILER_PROCESS_H
#define SARTOR_REMOTE_SERVER_COMPILERS_COMPILER_PROCESS_H

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <vector>

#include "remote/server/compilers/confine.h"

namespace sartor::remote {

// The functions of the processes of sartor-compiler (compiler_main.cpp). Each process has one
// thread when it calls these.

/// Loads LLVM, and reads the files of this machine that it needs. Returns false if there is no
/// compiler.
bool load_compiler();

/// Confines this process, and answers on the sockets that come over kSessionsSocket until that is
/// closed and the conversations are over. Returns the process's exit status.
int serve_sessions(const Confinement &how);

/// Returns the sockets in a message on `over`, as many as are wanted; nullopt if the other side has
/// gone, or sends something else.
std::optional<std::vector<int>> take_sockets(int over, std::size_t count);

/// Redirects these descriptors to /dev/null: a reader of the program's output then waits for the
/// program's end, not for this process's.
void leave_to_program(std::initializer_list<int> files);

/// Keeps LLVM loaded, and forks a compiler for each pair of sockets that arrives over
/// kSessionsSocket: the compiler's life socket and its sessions socket. Reports on the first how
/// the compiler ended, and kills it when the other side closes that. Returns when kLifeSocket is
/// closed, with the process's exit status.
int fork_compilers(const Confinement &how);

} // namespace sartor::remote

#endif

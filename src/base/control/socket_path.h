// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_CONTROL_SOCKET_PATH_H
#define SARTOR_BASE_CONTROL_SOCKET_PATH_H

#include <filesystem>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace sartor::base {

/// The directories in which this user's processes may have control sockets, in order of preference:
/// $XDG_RUNTIME_DIR/sartor, /run/user/UID/sartor, /tmp/sartor-UID.
std::vector<std::filesystem::path> control_directories();

/// Creates the first of these directories that can be used, for this user alone, and returns it.
/// Fails with file_error if none is a directory of this user's to which no other user has access.
Result<std::filesystem::path> make_control_directory();

/// False if other users may have created or replaced files in a directory.
bool is_private_directory(const std::filesystem::path &directory);

/// Name of the socket of a process in such a directory.
std::filesystem::path control_socket_name(pid_t process);

} // namespace sartor::base

#endif

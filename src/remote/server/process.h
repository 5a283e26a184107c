// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_PROCESS_H
#define SARTOR_REMOTE_SERVER_PROCESS_H

#include <cstddef>
#include <string_view>

namespace sartor::server {

/// Makes the allocator return large blocks to the system as they are freed, and raises the limit of
/// open files to the maximum. Must be called before the first thread is started.
void set_process_limits();

/// The resident memory of this process in bytes.
std::size_t resident_bytes();

/// Returns freed memory between small blocks in use to the system, if much was freed since the last
/// time. `used` is the number of bytes that are charged to clients now. For use by one thread.
void release_freed_memory(std::size_t used);

/// Reports the state of the service to systemd, such as "READY=1" (sd_notify(3)), if it has started
/// this process with Type=notify. libsystemd is not used: the process that holds the keys should
/// load few libraries, and the protocol is one datagram.
void notify(std::string_view state);

} // namespace sartor::server

#endif

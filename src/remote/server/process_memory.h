// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_PROCESS_MEMORY_H
#define SARTOR_REMOTE_SERVER_PROCESS_MEMORY_H

#include <cstddef>

namespace sartor::server {

/// Has the allocator give large blocks back to the system as they are freed, and the process open
/// as many files as it may. Before the first thread is started.
void set_process_limits();

/// Bytes of this process that are in memory.
std::size_t resident_bytes();

/// Gives freed memory back to the system that lies between small blocks in use, if much was freed
/// since the last time. `used`: bytes that are charged to clients now. One thread.
void release_freed_memory(std::size_t used);

} // namespace sartor::server

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_LOADED_OBJECT_H
#define SARTOR_BASE_LOADED_OBJECT_H

struct link_map;

namespace sartor::base {

/// The program or library that contains an address; null if there is none. Unlike dladdr(), it
/// takes no lock: while a thread is in dlopen(), that function waits until all constructors have
/// returned, and they may wait for Sartor's threads.
const link_map *loaded_object(const void *address) noexcept;

} // namespace sartor::base

#endif

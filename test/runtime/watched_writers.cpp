// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code in this file does not know of quasi-invariants.
#include <cstring>

#include "handlers/watched.h"

void set_cork(Socket &socket, std::uint64_t cork) { socket.cork = cork; }

void copy_options(Socket &to, const Socket &from) { to = from; }

void clear(Socket &socket) { std::memset(&socket, 0, sizeof socket); }

std::uint64_t add_to_mss(Socket &socket, std::uint64_t more) {
  return __atomic_add_fetch(&socket.mss, more, __ATOMIC_RELAXED);
}

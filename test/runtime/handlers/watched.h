// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_WATCHED_H
#define SARTOR_TEST_RUNTIME_HANDLERS_WATCHED_H

#include <atomic>
#include <cstdint>

#include <sartor/watch.h>

/// A socket whose options are changed at many places in the program.
struct Socket {
  std::uint64_t sent;
  SARTOR_WATCHED std::uint64_t cork;
  SARTOR_WATCHED std::uint64_t mss;
};

/// Passed as the size: asks which fields are constants in the active code, one bit each.
constexpr std::uint64_t kWhatIsFolded = ~0ULL;

/// The number of segments that so many bytes take, plus ten thousand times `cork`.
std::uint64_t send(Socket *socket, std::uint64_t bytes);
/// The same; also changes an option.
std::uint64_t send_and_uncork(Socket *socket, std::uint64_t bytes);

// Writers in another file.
void set_cork(Socket &socket, std::uint64_t cork);
void copy_options(Socket &to, const Socket &from);
void clear(Socket &socket);
std::uint64_t add_to_mss(Socket &socket, std::uint64_t more);

#endif

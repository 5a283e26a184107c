// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watched.h"

#include <sartor/points.h>

namespace {

inline std::uint64_t segments(Socket *socket, std::uint64_t bytes) {
  socket->sent += bytes;
  return (bytes + socket->mss - 1) / socket->mss + socket->cork * 10'000;
}

} // namespace

SARTOR_HANDLER std::uint64_t send(Socket *socket, std::uint64_t bytes) {
  if (bytes == kWhatIsFolded)
    return (__builtin_constant_p(socket->cork) ? 1 : 0) |
           (__builtin_constant_p(socket->mss) ? 2 : 0);
  return segments(socket, bytes);
}

SARTOR_HANDLER std::uint64_t send_and_uncork(Socket *socket, std::uint64_t bytes) {
  const std::uint64_t count = segments(socket, bytes);
  if (bytes > 1'000)
    socket->cork = 0;
  return count;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_FRAMES_H
#define SARTOR_REMOTE_SERVER_FRAMES_H

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "remote/protocol/channel.h"
#include "remote/server/account.h"
#include "remote/server/heavy.h"
#include "remote/server/wire.h"

namespace sartor::server {

/// A frame, and the memory that it takes.
struct Received {
  remote::Frame frame;
  Charge charge;
};

/// What may be received.
struct Limits {
  std::size_t most_bytes;             ///< Of one frame.
  std::chrono::milliseconds patience; ///< From a frame's beginning to its end.
  const char *remedy = "promise less memory, or raise the server's --largest-request";
};

/// What frames take.
struct Means {
  Account &account; ///< Whose memory.
  Heavy &heavy;     ///< Where long ones are encrypted and decrypted.
};

/// Nothing where the other side has gone between two frames. Fails with compiler_lost where it has
/// gone within one, or is too slow, and with server_refused for what is no frame, is too large, or
/// where the account has no memory left. Bytes are charged as they arrive.
asio::awaitable<Result<std::optional<Received>>> receive(Wire &wire, Limits limits,
                                                         const Means &means);

/// `tail` follows the body. `means`: for what may be long. False where not all of it was taken: the
/// other side has gone, has taken less than kLeastTaken in kTakePatience, or there is no memory.
asio::awaitable<bool> send(Wire &wire, remote::Kind kind, std::string_view body,
                           std::string_view tail = {}, const Means *means = nullptr);

constexpr std::size_t kLeastTaken = 32U << 10;
constexpr std::chrono::seconds kTakePatience{10};

} // namespace sartor::server

#endif

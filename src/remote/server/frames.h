// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_FRAMES_H
#define SARTOR_REMOTE_SERVER_FRAMES_H

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "remote/protocol/channel.h"
#include "remote/server/clients/account.h"
#include "remote/server/heavy.h"
#include "remote/server/wire.h"

namespace sartor::server {

/// A frame, and the charge for its memory.
struct Received {
  remote::Frame frame;
  Charge charge;
};

/// Limits for received frames.
struct Limits {
  std::size_t most_bytes;             ///< The maximum size of one frame.
  std::chrono::milliseconds patience; ///< The time from a frame's beginning to its end.
  const char *remedy = "declare less memory as invariant, or raise the server's --largest-request";
};

/// Resources for handling frames.
struct Means {
  Account &account; ///< The account that is charged.
  Heavy &heavy;     ///< Encrypts and decrypts long frames.
};

/// Returns nullopt if the other side has gone between two frames. Fails with compiler_lost if it
/// has gone within one, or is too slow, and with server_refused for bytes that are not a frame, a
/// frame that is too large, or if the account has no memory left. Bytes are charged as they arrive.
asio::awaitable<Result<std::optional<Received>>> receive(Wire &wire, Limits limits,
                                                         const Means &means);

/// `tail` follows the body. `means` is needed for frames that may be long. Returns false if not all
/// bytes were taken: the other side has gone, has taken less than kLeastTaken in kTakePatience, or
/// memory is exhausted.
asio::awaitable<bool> send(Wire &wire, remote::Kind kind, std::string_view body,
                           std::string_view tail = {}, const Means *means = nullptr);

constexpr std::size_t kLeastTaken = 32U << 10;
constexpr std::chrono::seconds kTakePatience{10};

} // namespace sartor::server

#endif

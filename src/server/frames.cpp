// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/frames.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace sartor::server {

namespace {

/// Memory grows with what has come, not with what was announced.
constexpr std::size_t kPiece = 256U << 10;

std::unexpected<Failure> refused(std::string why, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::server_refused, "a message", std::move(why), std::move(remedy)});
}

} // namespace

asio::awaitable<Result<std::optional<Received>>> receive(Wire &wire, Limits limits,
                                                         Budget &budget) {
  std::uint32_t length = 0;
  if (co_await wire.read(asio::buffer(&length, sizeof length)))
    co_return std::nullopt;
  if (length == 0 || length > limits.most_bytes)
    co_return refused("of " + std::to_string(length) + " bytes is none, or too large: " +
                          std::to_string(limits.most_bytes) + " are allowed",
                      "promise less memory, or raise the server's --largest-request");
  Received received{{}, budget.take(length)};
  if (!received.share)
    co_return refused("has no room: the server is receiving too much at once",
                      "ask again, or raise the server's --memory");
  const Limit limit(co_await asio::this_coro::executor, wire, limits.patience);
  std::string bytes;
  while (bytes.size() < length) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min<std::size_t>(length, before + kPiece));
    if (co_await wire.read(asio::buffer(bytes.data() + before, bytes.size() - before)))
      co_return std::unexpected(remote::lost("has gone in the middle of a message"));
  }
  if (wire.seal() && !wire.seal()->open(bytes))
    co_return refused("is not authentic: it was changed, repeated or made up",
                      "find out who is between the client and the server");
  const auto kind = static_cast<unsigned char>(bytes.empty() ? 0xff : bytes.front());
  if (kind > static_cast<unsigned char>(remote::kLastKind))
    co_return refused("is of no kind", "use the same version of Sartor on both sides");
  bytes.erase(0, 1);
  received.frame = {static_cast<remote::Kind>(kind), std::move(bytes)};
  co_return received;
}

asio::awaitable<bool> send(Wire &wire, remote::Kind kind, std::string_view body) {
  std::uint32_t length = 0;
  std::string bytes;
  bytes.reserve(sizeof length + 1 + body.size() + remote::Seal::kOverhead);
  bytes.resize(sizeof length);
  bytes += static_cast<char>(kind);
  bytes += body;
  if (wire.seal())
    wire.seal()->close(bytes, sizeof length);
  length = static_cast<std::uint32_t>(bytes.size() - sizeof length);
  std::memcpy(bytes.data(), &length, sizeof length);
  co_return !co_await wire.write(asio::buffer(bytes));
}

} // namespace sartor::server

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/channel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sartor::remote {

namespace {

constexpr std::chrono::milliseconds kTick{20};
constexpr std::size_t kHeaderBytes = sizeof(std::uint32_t);
/// The number of bytes that are read at a time: memory grows with the received bytes, not with the
/// announced ones.
constexpr std::size_t kPiece = 256U << 10;

std::unexpected<Failure> lost_by_error(int error) {
  return std::unexpected(lost(std::generic_category().message(error)));
}

// Waits until the socket is ready for `what`; the program's signals only cost another round.
Result<bool> is_ready(int socket, short what, std::chrono::milliseconds patience) {
  pollfd wanted{socket, what, 0};
  const int ready = poll(&wanted, 1, static_cast<int>(patience.count()));
  if (ready < 0 && errno != EINTR)
    return lost_by_error(errno);
  return ready > 0;
}

} // namespace

Failure lost(std::string why) {
  return {ErrorCode::compiler_lost, "the compiler", std::move(why),
          "the active variant stays; ask again"};
}

Failure late() {
  return {ErrorCode::compile_timeout, "a compile", "was not done in time",
          "raise Options::compile_timeout (in C, by sartor_open_with())"};
}

Result<std::optional<std::size_t>> SocketStream::read(char *bytes, std::size_t most,
                                                      std::chrono::milliseconds patience) {
  if (!is_still_ours())
    return std::unexpected(lost(kClosedByProgram));
  const auto ready = is_ready(socket_.get(), POLLIN, patience);
  if (!ready)
    return std::unexpected(ready.error());
  if (*ready && !is_still_ours())
    return std::unexpected(lost(kClosedByProgram));
  const ssize_t taken = *ready ? recv(socket_.get(), bytes, most, MSG_DONTWAIT) : -1;
  if (taken >= 0)
    return static_cast<std::size_t>(taken);
  if (*ready && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
    return lost_by_error(errno);
  return std::nullopt;
}

Result<std::size_t> SocketStream::write(std::string_view bytes,
                                        std::chrono::milliseconds patience) {
  if (!is_still_ours())
    return std::unexpected(lost(kClosedByProgram));
  const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0)
    return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
    return lost_by_error(errno);
  if (const auto ready = is_ready(socket_.get(), POLLOUT, patience); !ready)
    return std::unexpected(ready.error());
  return std::size_t{0};
}

bool SocketStream::has_ended() {
  char byte = 0;
  return !is_still_ours() || recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

void SocketStream::end() {
  if (is_still_ours())
    shutdown(socket_.get(), SHUT_WR);
}

Result<void> Channel::send(Kind kind, std::string_view body, const GoOn &go_on) {
  if (body.size() >= std::numeric_limits<std::uint32_t>::max() - 1 - Seal::kOverhead)
    return std::unexpected(
        Failure{ErrorCode::server_refused, "a request",
                "has " + std::to_string(body.size()) + " bytes, which is more than 4 GiB",
                "declare less memory as invariant"});
  std::string bytes;
  bytes.reserve(kHeaderBytes + 1 + body.size() + Seal::kOverhead);
  bytes.resize(kHeaderBytes);
  bytes += static_cast<char>(kind);
  bytes += body;
  if (seal_)
    seal_->close(bytes, kHeaderBytes);
  const auto length = static_cast<std::uint32_t>(bytes.size() - kHeaderBytes);
  std::memcpy(bytes.data(), &length, sizeof length);
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto sent = stream_->write(rest, kTick);
    if (!sent)
      return std::unexpected(sent.error());
    rest.remove_prefix(*sent);
    if (!rest.empty() && !go_on())
      return std::unexpected(late());
  }
  return {};
}

// Returns false if the other side has gone.
Result<bool> Channel::fill(std::size_t bytes, const GoOn &go_on) {
  while (received_.size() < bytes) {
    const std::size_t before = received_.size();
    received_.resize(before + std::min(std::max(bytes - before, std::size_t{512}), kPiece));
    const auto taken = stream_->read(received_.data() + before, received_.size() - before, kTick);
    received_.resize(before + (taken ? taken->value_or(0) : 0));
    if (!taken)
      return std::unexpected(taken.error());
    if (*taken == 0U)
      return false;
    if (received_.size() < bytes && !go_on())
      return std::unexpected(late());
  }
  return true;
}

Result<std::optional<Frame>> Channel::receive(const GoOn &go_on) {
  const auto has_header = fill(kHeaderBytes, go_on);
  if (!has_header)
    return std::unexpected(has_header.error());
  if (!*has_header) {
    if (received_.empty())
      return std::nullopt;
    return std::unexpected(lost("has gone in the middle of a message"));
  }
  std::uint32_t length = 0;
  std::memcpy(&length, received_.data(), sizeof length);
  if (length == 0 || length > most_)
    return std::unexpected(
        Failure{ErrorCode::server_refused, "a message",
                "of " + std::to_string(length) + " bytes is none, or too large",
                "declare less memory as invariant, or raise the server's limit"});
  const auto has_all = fill(kHeaderBytes + length, go_on);
  if (!has_all)
    return std::unexpected(has_all.error());
  if (!*has_all)
    return std::unexpected(lost("has gone in the middle of a message"));
  std::string bytes = received_.substr(kHeaderBytes, length);
  received_.erase(0, kHeaderBytes + length);
  if (seal_ && !seal_->open(bytes))
    return std::unexpected(Failure{ErrorCode::server_refused, "a message",
                                   "is not authentic: it was changed, repeated or made up",
                                   "find out who is between this program and the server"});
  const auto kind = static_cast<unsigned char>(bytes.empty() ? 0xff : bytes.front());
  if (kind > static_cast<unsigned char>(Kind::kLast))
    return std::unexpected(Failure{ErrorCode::server_refused, "a message", "has an unknown kind",
                                   "use the same version of Sartor on both sides"});
  bytes.erase(0, 1);
  return Frame{static_cast<Kind>(kind), std::move(bytes)};
}

} // namespace sartor::remote

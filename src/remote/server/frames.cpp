// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/frames.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace sartor::server {

namespace {

/// Memory grows with the received bytes: it is doubled, within these bounds.
constexpr std::size_t kFirstPiece = 4U << 10;
constexpr std::size_t kLargestPiece = 256U << 10;
constexpr std::size_t kHeader = sizeof(std::uint32_t) + 1;

std::unexpected<Failure> refused(std::string why, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::server_refused, "a message", std::move(why), std::move(remedy)});
}

// Reserves memory. Pages of a reserved string are not in memory until they are written. Growing the
// string in steps would copy it, and hold it twice meanwhile.
bool reserve(std::string &bytes, std::size_t length) {
  try {
    bytes.reserve(length);
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

asio::awaitable<bool> write(Wire &wire, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kLeastTaken);
    const Limit limit(co_await asio::this_coro::executor, wire, kTakePatience);
    if (co_await wire.write(asio::buffer(piece)))
      co_return false;
    bytes.remove_prefix(piece.size());
  }
  co_return true;
}

/// Reads `length` bytes, charged as they arrive.
asio::awaitable<Result<void>> read(Wire &wire, std::string &bytes, std::size_t length,
                                   Account &account, Charge &charge) {
  if (!reserve(bytes, length))
    co_return refused("has no room", "give the server's process more memory");
  while (bytes.size() < length) {
    const std::size_t before = bytes.size();
    const std::size_t piece =
        std::min(length - before, std::clamp(before, kFirstPiece, kLargestPiece));
    if (auto admitted = charge.add(account, piece); !admitted)
      co_return admitted;
    bytes.resize(before + piece);
    if (co_await wire.read(asio::buffer(bytes.data() + before, piece)))
      co_return std::unexpected(remote::lost("has gone in the middle of a message"));
  }
  co_return Result<void>();
}

/// Decrypts a frame and removes its kind. Returns false if it is not authentic.
bool open(remote::Seal &seal, std::string &bytes, unsigned char &kind) {
  if (!seal.open(bytes))
    return false;
  if (bytes.empty())
    return true; // without a kind
  kind = static_cast<unsigned char>(bytes.front());
  bytes.erase(0, 1);
  return true;
}

/// Returns a frame in the form in which it is written.
std::string frame_of(remote::Kind kind, std::string_view body, std::string_view tail,
                     remote::Seal *seal) {
  std::uint32_t length = 0;
  std::string bytes;
  bytes.reserve(kHeader + body.size() + tail.size() + remote::Seal::kOverhead);
  bytes.resize(sizeof length);
  bytes += static_cast<char>(kind);
  bytes += body;
  bytes += tail;
  if (seal)
    seal->close(bytes, sizeof length);
  length = static_cast<std::uint32_t>(bytes.size() - sizeof length);
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}

} // namespace

asio::awaitable<Result<std::optional<Received>>> receive(Wire &wire, Limits limits,
                                                         const Means &means) {
  std::uint32_t length = 0;
  if (co_await wire.read(asio::buffer(&length, sizeof length)))
    co_return std::nullopt;
  if (length == 0 || length > limits.most_bytes)
    co_return refused("of " + std::to_string(length) + " bytes is none, or too large: " +
                          std::to_string(limits.most_bytes) + " are allowed",
                      limits.remedy);
  const Limit limit(co_await asio::this_coro::executor, wire, limits.patience);
  unsigned char kind = 0xff;
  Received received;
  std::string &bytes = received.frame.body;
  remote::Seal *const seal = wire.seal();
  if (!seal && co_await wire.read(asio::buffer(&kind, 1)))
    co_return std::unexpected(remote::lost("has gone in the middle of a message"));
  if (auto all =
          co_await read(wire, bytes, seal ? length : length - 1, means.account, received.charge);
      !all)
    co_return std::unexpected(std::move(all.error()));
  if (seal && !co_await means.heavy.run(length, [&] { return open(*seal, bytes, kind); }))
    co_return refused("is not authentic: it was changed, repeated or made up",
                      "find out who is between the client and the server");
  if (kind > static_cast<unsigned char>(remote::Kind::kLast))
    co_return refused("is of no kind", "use the same version of Sartor on both sides");
  received.frame.kind = static_cast<remote::Kind>(kind);
  co_return received;
}

// A short frame is written in one piece, so that it is one packet; a long one is not copied, unless
// it is encrypted.
asio::awaitable<bool> send(Wire &wire, remote::Kind kind, std::string_view body,
                           std::string_view tail, const Means *means) {
  const std::size_t size = kHeader + body.size() + tail.size();
  if (size <= kLeastTaken)
    co_return co_await write(wire, frame_of(kind, body, tail, wire.seal()));
  if (remote::Seal *const seal = wire.seal()) {
    Charge charge;
    if (means && !charge.add(means->account, size))
      co_return false;
    const auto close = [&] { return frame_of(kind, body, tail, seal); };
    const std::string bytes = means ? co_await means->heavy.run(size, close) : close();
    co_return co_await write(wire, bytes);
  }
  const std::size_t begin = kLeastTaken - kHeader;
  std::string first = frame_of(kind, body.substr(0, begin), {}, nullptr);
  const auto length = static_cast<std::uint32_t>(size - sizeof(std::uint32_t));
  std::memcpy(first.data(), &length, sizeof length);
  const bool is_begun = co_await write(wire, first);
  if (!is_begun || (body.size() > begin && !co_await write(wire, body.substr(begin))))
    co_return false;
  co_return co_await write(wire, tail);
}

} // namespace sartor::server

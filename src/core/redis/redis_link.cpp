// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/redis/redis_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <sodium.h>
#include <sys/socket.h>

#include "base/no_pipe_signal.h"

namespace sartor::core {

namespace {

// Bytes of an answer in addition to its content: its length, and line ends.
constexpr std::size_t kFraming = 64;
constexpr std::size_t kPiece = 16U << 10; // bytes that are received at a time

Failure unreachable(std::string subject, std::string why) {
  return {ErrorCode::store_unreachable, std::move(subject), std::move(why),
          "Sartor goes on without it, and tries again later"};
}

timeval timeval_of(std::chrono::milliseconds time) {
  return {.tv_sec = time.count() / 1000, .tv_usec = time.count() % 1000 * 1000};
}

// None of the expected answers is an array; memory for an announced array would be allocated before
// it arrives.
void refuse_arrays(redisReader &reader) {
  static redisReplyObjectFunctions functions = [&] {
    redisReplyObjectFunctions own = *reader.fn;
    own.createArray = [](const redisReadTask *, auto) -> void * { return nullptr; };
    return own;
  }();
  reader.fn = &functions;
}

struct FreeReply {
  void operator()(redisReply *reply) const { freeReplyObject(reply); }
};

} // namespace

void HiredisLink::Close::operator()(redisContext *context) const { redisFree(context); }

base::FileIdentity HiredisLink::identity_of(const redisContext &context) {
  return base::FileIdentity(context.fd);
}

// The number may belong to a file of the program by now.
HiredisLink::~HiredisLink() {
  if (!is_still_ours())
    context_->fd = -1;
}

std::unexpected<Failure> HiredisLink::lost(std::string why) const {
  return std::unexpected(unreachable(name_, std::move(why)));
}

Result<std::unique_ptr<RedisLink>> HiredisLink::connect(const RedisServer &server,
                                                        const std::string_view *password,
                                                        RedisLimits limits) {
  const RedisAddress &address = server.address;
  const timeval time = timeval_of(limits.timeout);
  const auto until = std::chrono::steady_clock::now() + limits.timeout;
  std::unique_ptr<redisContext, Close> context(
      address.path.empty() ? redisConnectWithTimeout(address.host.c_str(), address.port, time)
                           : redisConnectUnixWithTimeout(address.path.c_str(), time));
  if (!context || context->err != 0)
    return std::unexpected(
        unreachable(address.text(), context ? std::string(context->errstr) : "no memory"));
  context->fd = base::above_standard_streams(context->fd);
  if (context->fd < 0)
    return std::unexpected(unreachable(address.text(), std::generic_category().message(errno)));
  fcntl(context->fd, F_SETFD, FD_CLOEXEC); // hiredis leaves it to programs that this one starts
  redisSetTimeout(context.get(), time);
  refuse_arrays(*context->reader);
  std::unique_ptr<RedisTls> tls;
  if (address.tls) {
    const base::NoPipeSignal guard;
    auto secured =
        connect_tls(context->fd, {.host = address.host, .ca_file = server.ca_file}, until);
    if (!secured)
      return std::unexpected(std::move(secured.error()));
    tls = std::move(*secured);
  }
  std::unique_ptr<HiredisLink> link(
      new HiredisLink(std::move(context), std::move(tls), address.text(), limits));
  if (auto known = link->log_in(address, password); !known)
    return std::unexpected(std::move(known.error()));
  return link;
}

Result<void> HiredisLink::log_in(const RedisAddress &address, const std::string_view *password) {
  if (password) {
    std::vector<std::string_view> words{"AUTH"};
    if (!address.user.empty())
      words.push_back(address.user);
    words.push_back(*password);
    if (auto answer = command(words); !answer)
      return std::unexpected(std::move(answer.error()));
  }
  if (address.database != 0) {
    const std::string database = std::to_string(address.database);
    const std::array<std::string_view, 2> words{"SELECT", database};
    if (auto answer = command(words); !answer)
      return std::unexpected(std::move(answer.error()));
  }
  return {};
}

Result<void> HiredisLink::send(std::string_view bytes, Deadline until) {
  while (!bytes.empty()) {
    if (!is_still_ours())
      return lost("the program has closed the connection's descriptor");
    if (tls_) {
      const auto sent = tls_->write(bytes, until);
      if (!sent)
        return std::unexpected(sent.error());
      bytes.remove_prefix(*sent);
    } else {
      const ssize_t sent = ::send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR && errno != EAGAIN)
        return lost(std::generic_category().message(errno));
      bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
    if (!bytes.empty() && std::chrono::steady_clock::now() > until)
      return lost("takes too long to read a command");
  }
  return {};
}

Result<void> HiredisLink::receive(Deadline until) {
  if (!is_still_ours())
    return lost("the program has closed the connection's descriptor");
  std::array<char, kPiece> room;
  std::size_t size = 0;
  if (tls_) {
    const auto taken = tls_->read(room, until);
    if (!taken)
      return std::unexpected(taken.error());
    size = *taken;
  } else {
    const ssize_t taken = recv(context_->fd, room.data(), room.size(), 0);
    if (taken == 0)
      return lost("has closed the connection");
    if (taken < 0 && errno != EINTR && errno != EAGAIN)
      return lost(std::generic_category().message(errno));
    size = static_cast<std::size_t>(std::max<ssize_t>(taken, 0));
  }
  if (size > 0 && redisReaderFeed(context_->reader, room.data(), size) != REDIS_OK)
    return lost(context_->reader->errstr);
  return {};
}

Result<std::optional<std::string>> HiredisLink::command(std::span<const std::string_view> words) {
  const base::NoPipeSignal guard;
  const Deadline until = std::chrono::steady_clock::now() + limits_.timeout;
  std::vector<const char *> texts;
  std::vector<std::size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  char *formatted = nullptr;
  const auto size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), texts.data(),
                                           lengths.data()); // its type depends on the release
  if (size < 0)
    return lost("there is no memory for a command");
  const std::unique_ptr<char, decltype(&redisFreeCommand)> bytes(formatted, redisFreeCommand);
  auto sent = send({formatted, static_cast<std::size_t>(size)}, until);
  sodium_memzero(formatted, static_cast<std::size_t>(size)); // it may contain a password
  if (!sent)
    return std::unexpected(std::move(sent.error()));
  redisReader &reader = *context_->reader;
  void *raw = nullptr;
  for (;;) {
    if (redisReaderGetReply(&reader, &raw) != REDIS_OK)
      return lost(reader.errstr);
    if (raw)
      break;
    if (std::chrono::steady_clock::now() > until)
      return lost("takes too long to answer");
    if (reader.len > limits_.answer_bytes + kFraming)
      return lost("answers without end");
    if (auto received = receive(until); !received)
      return std::unexpected(std::move(received.error()));
  }
  const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply *>(raw));
  switch (reply->type) {
  case REDIS_REPLY_NIL:
    return std::nullopt;
  case REDIS_REPLY_STRING:
  case REDIS_REPLY_STATUS:
    return std::string(reply->str, reply->len);
  case REDIS_REPLY_INTEGER:
    return std::to_string(reply->integer);
  case REDIS_REPLY_ERROR:
    return lost(std::string(reply->str, reply->len));
  default:
    return lost("answers something else than was asked for");
  }
}

} // namespace sartor::core

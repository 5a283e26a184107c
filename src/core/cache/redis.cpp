// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/redis.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <system_error>
#include <vector>

#include <hiredis/hiredis.h>
#include <sodium.h>
#include <sys/socket.h>

#include "core/cache/secret_file.h"

namespace sartor::core {

namespace {

// Bytes of an answer in addition to its content: its length, and line ends.
constexpr std::size_t kFraming = 64;
constexpr std::size_t kPiece = 16U << 10; // bytes that are received at a time

Failure unreachable(std::string subject, std::string why) {
  return {ErrorCode::store_unreachable, std::move(subject), std::move(why),
          "Sartor goes on without it, and tries again later"};
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

/// Blocks SIGPIPE, which OpenSSL's writes to a socket raise when the peer has gone.
class WithoutBrokenPipe {
public:
  WithoutBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutBrokenPipe() {
    const timespec at_once{};
    if (!was_pending_)
      sigtimedwait(&pipe_, nullptr, &at_once); // the signal that was raised meanwhile
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipe(const WithoutBrokenPipe &) = delete;
  WithoutBrokenPipe &operator=(const WithoutBrokenPipe &) = delete;

private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
};

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

std::string RedisAddress::text() const {
  if (!path.empty())
    return "unix:" + path;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (tls ? "rediss://" : "redis://") + (user.empty() ? "" : user + "@") +
         (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + "/" +
         std::to_string(database);
}

Result<RedisAddress> parse_redis_address(std::string_view text) {
  // Names only the scheme, because the rest may contain a password.
  const auto bad = [&](std::string why, std::string remedy =
                                            "write redis://HOST:PORT/DATABASE, rediss://USER@HOST "
                                            "(TLS), or unix:/PATH") {
    return std::unexpected(Failure{ErrorCode::store_unreachable,
                                   std::string(text.substr(0, text.find(':'))), std::move(why),
                                   std::move(remedy)});
  };
  RedisAddress address;
  if (text.starts_with("unix:")) {
    address.path = text.substr(5);
    if (!address.path.starts_with('/'))
      return bad("the path of the socket is not absolute");
    return address;
  }
  constexpr std::string_view scheme = "redis://";
  constexpr std::string_view secure_scheme = "rediss://";
  address.tls = text.starts_with(secure_scheme);
  if (!address.tls && !text.starts_with(scheme))
    return bad("is not the address of a Redis server");
  std::string_view rest = text.substr(address.tls ? secure_scheme.size() : scheme.size());
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    address.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (address.user.contains(':'))
      return bad("has a password in it, which other users of the machine can see",
                 "write redis://USER@HOST and give the password in a file: "
                 "--shared-cache-password-file, Options::shared_cache_password_file or "
                 "SARTOR_SHARED_CACHE_PASSWORD_FILE");
    if (address.user.empty())
      return bad("names no user before the @");
  }
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    const auto database = number(rest.substr(slash + 1));
    if (!database && slash + 1 < rest.size())
      return bad("the database is not a number");
    address.database = database.value_or(0);
    rest = rest.substr(0, slash);
  }
  const auto bracket = rest.rfind(']');
  if (const auto colon = rest.rfind(':');
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    const auto port = number(rest.substr(colon + 1));
    if (!port || *port == 0 || *port > 65535)
      return bad("the port is not one");
    address.port = *port;
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']'))
    rest = rest.substr(1, rest.size() - 2);
  if (rest.empty())
    return bad("names no host");
  address.host = rest;
  return address;
}

void RedisLink::Close::operator()(redisContext *context) const { redisFree(context); }

base::FileIdentity RedisLink::identity_of(const redisContext &context) {
  return base::FileIdentity(context.fd);
}

// The number may belong to a file of the program by now.
RedisLink::~RedisLink() {
  if (!is_still_ours())
    context_->fd = -1;
}

std::unexpected<Failure> RedisLink::lost(std::string why) const {
  return std::unexpected(unreachable(name_, std::move(why)));
}

Result<std::unique_ptr<RedisLink>>
RedisLink::connect(const RedisServer &server, std::chrono::milliseconds timeout, std::size_t most) {
  const RedisAddress &address = server.address;
  const timeval time = timeval_of(timeout);
  const auto until = std::chrono::steady_clock::now() + timeout;
  std::unique_ptr<redisContext, Close> context(
      address.path.empty() ? redisConnectWithTimeout(address.host.c_str(), address.port, time)
                           : redisConnectUnixWithTimeout(address.path.c_str(), time));
  if (!context || context->err != 0)
    return std::unexpected(
        unreachable(address.text(), context ? std::string(context->errstr) : "no memory"));
  redisSetTimeout(context.get(), time);
  refuse_arrays(*context->reader);
  std::unique_ptr<RedisTls> tls;
  if (address.tls) {
    const WithoutBrokenPipe guard;
    auto secured =
        connect_tls(context->fd, {.host = address.host, .ca_file = server.ca_file}, until);
    if (!secured)
      return std::unexpected(std::move(secured.error()));
    tls = std::move(*secured);
  }
  std::unique_ptr<RedisLink> link(
      new RedisLink(std::move(context), std::move(tls), address.text(), timeout, most));
  if (auto known = link->log_in(server); !known)
    return std::unexpected(std::move(known.error()));
  return link;
}

Result<void> RedisLink::log_in(const RedisServer &server) {
  if (!server.password_file.empty()) {
    const auto password = read_password(server.password_file);
    if (!password)
      return std::unexpected(password.error());
    std::vector<std::string_view> words{"AUTH"};
    if (!server.address.user.empty())
      words.push_back(server.address.user);
    words.push_back(password->bytes());
    if (auto answer = command(words); !answer)
      return std::unexpected(std::move(answer.error()));
  }
  if (server.address.database != 0) {
    const std::string database = std::to_string(server.address.database);
    const std::array<std::string_view, 2> words{"SELECT", database};
    if (auto answer = command(words); !answer)
      return std::unexpected(std::move(answer.error()));
  }
  return {};
}

Result<void> RedisLink::send(std::string_view bytes, Deadline until) {
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

Result<void> RedisLink::receive(Deadline until) {
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

Result<std::optional<std::string>> RedisLink::command(std::span<const std::string_view> words) {
  const WithoutBrokenPipe guard;
  const Deadline until = std::chrono::steady_clock::now() + timeout_;
  std::vector<const char *> texts;
  std::vector<std::size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  char *formatted = nullptr;
  const int size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), texts.data(),
                                          lengths.data());
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
    if (reader.len > most_ + kFraming)
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

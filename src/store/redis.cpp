// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "store/redis.h"

#include <array>
#include <charconv>
#include <csignal>
#include <ctime>
#include <vector>

#include <hiredis/hiredis.h>

namespace sartor::store {

namespace {

// What comes in besides the answer proper: its length, and the end of the line.
constexpr std::size_t kFraming = 64;

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

/// hiredis writes to sockets in the way that ends a program when the other side is gone.
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
      sigtimedwait(&pipe_, nullptr, &at_once); // what we have raised meanwhile
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

// No answer of ours is an array; one that is said to be long would be made room for before it
// comes.
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
  return "redis://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + "/" +
         std::to_string(database);
}

Result<RedisAddress> parse_redis_address(std::string_view text) {
  // With its scheme alone: the rest may hold a password.
  const auto bad = [&](std::string why) {
    return std::unexpected(Failure{
        ErrorCode::store_unreachable, std::string(text.substr(0, text.find(':'))), std::move(why),
        "give redis://HOST:PORT/DATABASE, redis://USER:PASSWORD@HOST:PORT, or unix:/PATH"});
  };
  RedisAddress address;
  if (text.starts_with("unix:")) {
    address.path = text.substr(5);
    if (!address.path.starts_with('/'))
      return bad("the path of the socket is not absolute");
    return address;
  }
  constexpr std::string_view scheme = "redis://";
  if (!text.starts_with(scheme))
    return bad("is not the address of a Redis server");
  std::string_view rest = text.substr(scheme.size());
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    const auto colon = who.find(':');
    if (colon == std::string_view::npos)
      return bad("names a user without a password");
    address.user = who.substr(0, colon);
    address.password = who.substr(colon + 1);
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

std::unexpected<Failure> RedisLink::lost(std::string why) const {
  return std::unexpected(unreachable(name_, std::move(why)));
}

Result<std::unique_ptr<RedisLink>> RedisLink::connect(const RedisAddress &address,
                                                      std::chrono::milliseconds timeout,
                                                      std::size_t most) {
  const timeval time = timeval_of(timeout);
  std::unique_ptr<redisContext, Close> context(
      address.path.empty() ? redisConnectWithTimeout(address.host.c_str(), address.port, time)
                           : redisConnectUnixWithTimeout(address.path.c_str(), time));
  if (!context || context->err != 0)
    return std::unexpected(
        unreachable(address.text(), context ? std::string(context->errstr) : "no memory"));
  redisSetTimeout(context.get(), time);
  refuse_arrays(*context->reader);
  std::unique_ptr<RedisLink> link(new RedisLink(std::move(context), address.text(), timeout, most));
  if (!address.password.empty()) {
    std::vector<std::string_view> words{"AUTH"};
    if (!address.user.empty())
      words.push_back(address.user);
    words.push_back(address.password);
    if (auto answer = link->command(words); !answer)
      return std::unexpected(std::move(answer.error()));
  }
  if (address.database != 0) {
    const std::string database = std::to_string(address.database);
    const std::array<std::string_view, 2> words{"SELECT", database};
    if (auto answer = link->command(words); !answer)
      return std::unexpected(std::move(answer.error()));
  }
  return link;
}

Result<std::optional<std::string>> RedisLink::command(std::span<const std::string_view> words) {
  const WithoutBrokenPipe guard;
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  std::vector<const char *> texts;
  std::vector<std::size_t> lengths;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  const auto late = [&] { return std::chrono::steady_clock::now() > deadline; };
  redisContext &context = *context_;
  if (redisAppendCommandArgv(&context, static_cast<int>(words.size()), texts.data(),
                             lengths.data()) != REDIS_OK)
    return lost(context.errstr);
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(&context, &done) != REDIS_OK)
      return lost(context.errstr);
    if (done == 0 && late())
      return lost("takes too long to listen");
  }
  void *raw = nullptr;
  while (!raw) {
    if (redisGetReplyFromReader(&context, &raw) != REDIS_OK)
      return lost(context.errstr);
    if (raw)
      break;
    if (late())
      return lost("takes too long to answer");
    if (context.reader->len > most_ + kFraming)
      return lost("answers without end");
    if (redisBufferRead(&context) != REDIS_OK)
      return lost(context.errstr);
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

} // namespace sartor::store

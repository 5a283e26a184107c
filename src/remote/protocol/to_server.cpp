// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/to_server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/file/file_handle.h"
#include "base/reports.h"
#include "remote/protocol/channel.h"
#include "remote/protocol/opening.h"
#include "remote/protocol/remote_compiler.h"
#include "remote/protocol/server_address.h"
#include "remote/tls/tls_library.h"

namespace sartor::remote {

using namespace std::chrono_literals;

namespace {

/// The time limit for a connection to one address of a host.
constexpr auto kPatience = 3s;
/// The largest frame before the server has shown its key.
constexpr std::size_t kMostOpened = 4096;
constexpr int kTickMilliseconds = 20;
/// How long sent bytes may remain unacknowledged.
constexpr unsigned kLostMilliseconds = 10'000;

std::unexpected<std::string> error_of(int error) {
  return std::unexpected(std::generic_category().message(error));
}

void find_out_when_lost(int socket) {
  const int on = 1;
  const int idle = 10;
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kLostMilliseconds, sizeof kLostMilliseconds);
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

std::expected<int, std::string> connect_to(const sockaddr *address, socklen_t size,
                                           const Channel::GoOn &go_on) {
  const int made = base::above_standard_streams(
      socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made < 0)
    return error_of(errno);
  const auto failed = [&](int error) {
    close(made);
    return error_of(error);
  };
  if (address->sa_family != AF_UNIX)
    find_out_when_lost(made);
  if (connect(made, address, size) == 0)
    return made;
  if (errno != EINPROGRESS)
    return failed(errno);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  pollfd wanted{made, POLLOUT, 0};
  while (poll(&wanted, 1, kTickMilliseconds) <= 0)
    if (std::chrono::steady_clock::now() > until || !go_on())
      return failed(ETIMEDOUT);
  int error = 0;
  socklen_t bytes = sizeof error;
  getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (error != 0)
    return failed(error);
  return made;
}

/// Returns a connected socket, which the caller owns, or the reason why there is none. A half-open
/// connection is detected within seconds after bytes are sent on it.
std::expected<int, std::string> connect_to(const ServerAddress &address,
                                           const Channel::GoOn &go_on) {
  if (!address.path.empty()) {
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::memcpy(local.sun_path, address.path.data(), address.path.size());
    return connect_to(reinterpret_cast<const sockaddr *>(&local), sizeof local, go_on);
  }
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo *found = nullptr;
  if (const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found))
    return std::unexpected(gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  std::expected<int, std::string> made = error_of(EHOSTUNREACH);
  for (const addrinfo *each = found; each && !made; each = each->ai_next)
    made = connect_to(each->ai_addr, each->ai_addrlen, go_on);
  return made;
}

constexpr auto kFirstRetry = 1s;
constexpr auto kLastRetry = 30s;

/// True if the listening process belongs to this user, or to root.
bool is_trusted(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
         (who.uid == geteuid() || who.uid == 0);
}

} // namespace

Failure ToServer::failure(ErrorCode code, std::string why, std::string remedy) const {
  return {code, server_.address, std::move(why), std::move(remedy)};
}

Result<ToServer::Read> ToServer::read() const {
  Read read;
  auto addresses = ServerAddress::parse_list(server_.address);
  if (!addresses)
    return std::unexpected(std::move(addresses.error()));
  read.addresses = std::move(*addresses);
  const bool any_tcp =
      std::ranges::any_of(read.addresses, [](const auto &each) { return each.path.empty(); });
  if (any_tcp && (server_.server_key.empty() || server_.key.empty()))
    return std::unexpected(
        failure(ErrorCode::no_compiler, "needs the server's key and a key of this program",
                "set Options::compiler_server, or SARTOR_COMPILER_SERVER_KEY and "
                "SARTOR_COMPILER_KEY (docs/guides/compile_server.md)"));
  if (!server_.server_key.empty()) {
    auto keys = base::read_public_keys(server_.server_key);
    if (!keys)
      return std::unexpected(std::move(keys.error()));
    read.server_keys = std::move(*keys);
  }
  if (any_tcp) {
    auto key = base::SecretKey::read(server_.key);
    if (!key)
      return std::unexpected(std::move(key.error()));
    read.key = *key;
  }
  return read;
}

Result<Connection> ToServer::connect(const Channel::GoOn &go_on) {
  {
    const std::lock_guard lock(mutex_);
    if (lost_ && Clock::now() < retry_at_)
      return std::unexpected(*lost_);
  }
  const auto read = this->read();
  auto reached =
      read
          ? reach_any(*read, go_on)
          : Result<Connection>(std::unexpected(Failure{ErrorCode::no_compiler, read.error().subject,
                                                       read.error().message, read.error().remedy}));
  note(reached);
  return reached;
}

Result<Connection> ToServer::reach_any(const Read &read, const Channel::GoOn &go_on) {
  std::size_t first = 0;
  {
    const std::lock_guard lock(mutex_);
    first = last_good_;
  }
  Result<Connection> reached =
      std::unexpected(failure(ErrorCode::no_compiler, "has no address", "give it one"));
  for (std::size_t i = 0; i < read.addresses.size() && !reached; ++i) {
    const std::size_t at = (first + i) % read.addresses.size();
    reached = reach(read, read.addresses[at], go_on);
    if (reached) {
      const std::lock_guard lock(mutex_);
      last_good_ = at;
    }
  }
  return reached;
}

Result<Connection> ToServer::reach(const Read &read, const ServerAddress &address,
                                   const Channel::GoOn &go_on) const {
  auto socket = connect_to(address, go_on);
  if (!socket)
    return std::unexpected(
        failure(ErrorCode::compiler_lost, "cannot be reached: " + socket.error(),
                "active variants stay active; start the server, or correct the address"));
  if (!address.path.empty())
    return open(*socket, read, go_on);
  const auto shown = base::load_own_library(
      tls::kTlsLibrary, tls::kTlsSymbol, std::nullopt, ErrorCode::no_compiler,
      "install the one of this build of Sartor next to libsartor.so");
  if (!shown) {
    close(*socket);
    return std::unexpected(shown.error());
  }
  auto connected = static_cast<const tls::TlsLibrary *>(*shown)->connect(*socket, *read.key,
                                                                         read.server_keys, go_on);
  if (!connected)
    return std::unexpected(std::move(connected.error()));
  return Connection{std::make_unique<Channel>(std::move(connected->stream), kMostAnswer),
                    connected->server};
}

Result<Connection> ToServer::open(int socket, const Read &read, const Channel::GoOn &go_on) const {
  auto channel = std::make_unique<Channel>(std::make_unique<SocketStream>(socket), kMostOpened);
  if (read.server_keys.empty() && !is_trusted(socket))
    return std::unexpected(failure(ErrorCode::server_refused, "belongs to another user",
                                   "give Options::compiler_server the server's key, or set "
                                   "SARTOR_COMPILER_SERVER_KEY"));
  const Opening opening(read.server_keys);
  if (auto sent = channel->send(Kind::open, opening.message(), go_on); !sent)
    return std::unexpected(std::move(sent.error()));
  const auto answer = channel->receive(go_on);
  if (!answer)
    return std::unexpected(answer.error());
  if (!*answer)
    return std::unexpected(failure(ErrorCode::compiler_lost, "has closed the connection",
                                   "active variants stay active; look at the server's log"));
  // No other frame is considered before the server has shown its key.
  const auto opened =
      (*answer)->kind == Kind::opened ? opening.finish((*answer)->body) : std::nullopt;
  if (!opened)
    return std::unexpected(failure(ErrorCode::server_refused, "has not shown the server's key",
                                   "compare the key that was given with the server's; find out who "
                                   "listens at that path"));
  channel->seal(opened->seal, kMostAnswer);
  return Connection{std::move(channel), opened->server};
}

void ToServer::note(const Result<Connection> &reached) {
  const std::lock_guard lock(mutex_);
  if (reached) {
    if (std::exchange(lost_, std::nullopt))
      base::report("compiler_back", {{"where", server_.address}});
    retry_after_ = {};
    return;
  }
  if (!lost_)
    base::report("compiler_lost",
                 {{"where", server_.address}, {"message", reached.error().message}});
  lost_ = reached.error();
  retry_after_ = std::clamp<std::chrono::milliseconds>(2 * retry_after_, kFirstRetry, kLastRetry);
  retry_at_ = Clock::now() + retry_after_;
}

Failure ToServer::why_lost() {
  return failure(ErrorCode::compiler_lost, "has gone while it was asked",
                 "the active variant stays; ask again");
}

Result<void> ToServer::prepare(const Pipeline &pipeline) {
  if (pipeline.plugins.empty())
    return {};
  return std::unexpected(
      Failure{ErrorCode::bad_pipeline, pipeline.plugins.front().string(),
              "is a library of this machine, which a server does not load",
              "leave out the plugins, or set compiler = in-process or out-of-process"});
}

core::Compiler &compiler_of(const CompilerServer &server) {
  struct Known {
    explicit Known(const CompilerServer &server) : way(server) {}
    ToServer way;
    RemoteCompiler compiler{way};
  };
  static auto &mutex = *new base::Mutex; // never destroyed: threads may be lost in it
  static auto &all = *new std::map<CompilerServer, Known>; // never destroyed, for the same reason
  const std::lock_guard lock(mutex);
  return all.try_emplace(server, server).first->second.compiler;
}

} // namespace sartor::remote

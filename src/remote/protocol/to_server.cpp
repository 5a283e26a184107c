// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/to_server.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "base/reports.h"
#include "remote/protocol/opening.h"
#include "remote/protocol/remote_compiler.h"
#include "remote/protocol/server_socket.h"
#include "remote/tls/tls_library.h"

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;

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
      "install the one of this build of Sartor beside libsartor.so");
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
  auto channel = std::make_unique<Channel>(std::make_unique<SocketStream>(socket), kMostAnswer);
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
  channel->seal(opened->seal);
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

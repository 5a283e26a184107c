// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/to_server.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "engine/reports.h"
#include "remote/remote_compiler.h"
#include "remote/server_socket.h"
#include "tls/tls_library.h"

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;

constexpr auto kFirstRetry = 1s;
constexpr auto kLastRetry = 30s;

/// Whether who listens there is this user, or root.
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

// `mutex_` is held.
Result<const ToServer::Read *> ToServer::read() {
  if (read_)
    return &*read_;
  Read read;
  auto address = ServerAddress::parse(server_.address);
  if (!address)
    return std::unexpected(std::move(address.error()));
  read.address = std::move(*address);
  const bool is_tcp = read.address.path.empty();
  if (is_tcp && (server_.server_key.empty() || server_.key.empty()))
    return std::unexpected(
        failure(ErrorCode::no_compiler, "is spoken to with keys, and one is missing",
                "give Options::compiler_server both, or set SARTOR_COMPILER_SERVER_KEY and "
                "SARTOR_COMPILER_KEY (docs/server.md)"));
  if (!server_.server_key.empty()) {
    auto key = keys::read_public_key(server_.server_key);
    if (!key)
      return std::unexpected(std::move(key.error()));
    read.server_key = *key;
  }
  if (is_tcp) {
    auto key = keys::SecretKey::read(server_.key);
    if (!key)
      return std::unexpected(std::move(key.error()));
    read.key = *key;
  }
  read_ = std::move(read);
  return &*read_;
}

Result<std::unique_ptr<Stream>> ToServer::connect(const Channel::GoOn &go_on) {
  const Read *read = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (lost_ && Clock::now() < retry_at_)
      return std::unexpected(*lost_);
    auto known = this->read();
    if (!known)
      return std::unexpected(Failure{ErrorCode::no_compiler, known.error().subject,
                                     known.error().message, known.error().remedy});
    read = *known; // which changes no more
  }
  auto reached = reach(*read, go_on);
  note(reached);
  return reached;
}

Result<std::unique_ptr<Stream>> ToServer::reach(const Read &read, const Channel::GoOn &go_on) {
  auto socket = connect_to(read.address, go_on);
  if (!socket)
    return std::unexpected(
        failure(ErrorCode::compiler_lost, "cannot be reached: " + socket.error(),
                "what is in force stays; start the server, or look at the address"));
  if (!read.address.path.empty()) {
    auto stream = std::make_unique<SocketStream>(*socket);
    if (!read.server_key && !is_trusted(*socket))
      return std::unexpected(failure(ErrorCode::server_refused, "is somebody else's",
                                     "give Options::compiler_server the server's key, or set "
                                     "SARTOR_COMPILER_SERVER_KEY"));
    return stream;
  }
  const auto shown = engine::load_own_library(
      tls::kTlsLibrary, tls::kTlsSymbol, std::nullopt, ErrorCode::no_compiler,
      "install the one of this build of Sartor beside libsartor.so");
  if (!shown) {
    close(*socket);
    return std::unexpected(shown.error());
  }
  return static_cast<const tls::TlsLibrary *>(*shown)->connect(*socket, *read.key, *read.server_key,
                                                               go_on);
}

void ToServer::note(const Result<std::unique_ptr<Stream>> &reached) {
  const std::lock_guard lock(mutex_);
  if (reached) {
    if (std::exchange(lost_, std::nullopt))
      engine::report("compiler_back", {{"where", server_.address}});
    retry_after_ = {};
    return;
  }
  if (!lost_)
    engine::report("compiler_lost",
                   {{"where", server_.address}, {"message", reached.error().message}});
  lost_ = reached.error();
  retry_after_ = std::clamp<std::chrono::milliseconds>(2 * retry_after_, kFirstRetry, kLastRetry);
  retry_at_ = Clock::now() + retry_after_;
}

Failure ToServer::why_lost() {
  return failure(ErrorCode::compiler_lost, "has gone while it was asked",
                 "what is in force stays; ask again");
}

Result<void> ToServer::prepare(const Pipeline &pipeline) {
  if (pipeline.plugins.empty())
    return {};
  return std::unexpected(Failure{ErrorCode::bad_pipeline, pipeline.plugins.front().string(),
                                 "is a library of this machine, which a server does not load",
                                 "leave out the plugins, or say compiler = inside or beside"});
}

std::optional<keys::PublicKey> ToServer::signer() {
  const std::lock_guard lock(mutex_);
  return read_ ? read_->server_key : std::nullopt;
}

jit::Compiler &compiler_of(const CompilerServer &server) {
  struct Known {
    explicit Known(const CompilerServer &server) : way(server) {}
    ToServer way;
    RemoteCompiler compiler{way};
  };
  static auto &mutex = *new engine::Mutex;                 // threads may be lost in it
  static auto &all = *new std::map<CompilerServer, Known>; // likewise
  const std::lock_guard lock(mutex);
  return all.try_emplace(server, server).first->second.compiler;
}

} // namespace sartor::remote

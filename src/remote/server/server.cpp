// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <system_error>
#include <utility>

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote/protocol/opening.h"
#include "remote/server/conversation.h"
#include "remote/server/endpoint_text.h"
#include "remote/server/process.h"

namespace sartor::server {

namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;

constexpr auto kHandshakePatience = 10s;
/// The pause after accept() has failed, most likely because there are no free file descriptors.
constexpr auto kAcceptPause = 100ms;
constexpr unsigned kLostMilliseconds = 30'000;

/// The maximum size of a connection's buffer in the kernel, for each direction. Without a limit it
/// would grow much larger for peers that do not read.
constexpr int kSocketBuffer = 256 << 10;

/// Makes the system detect half-open connections.
void find_out_when_lost(tcp::socket &socket) {
  std::error_code ignored;
  (void)socket.set_option(asio::socket_base::send_buffer_size(kSocketBuffer), ignored);
  (void)socket.set_option(asio::socket_base::receive_buffer_size(kSocketBuffer), ignored);
  (void)socket.set_option(tcp::no_delay(true), ignored);
  (void)socket.set_option(asio::socket_base::keep_alive(true), ignored);
  (void)setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kLostMilliseconds,
                   sizeof kLostMilliseconds);
  const int idle = 30;
  (void)setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
}

std::string peer_text(const tcp::socket &socket) {
  std::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  return error ? "unknown" : text_of(endpoint);
}

/// True if the peer's first message has come.
bool has_begun(const SSL *tls) {
  const OSSL_HANDSHAKE_STATE state = SSL_get_state(tls);
  return state != TLS_ST_BEFORE && state != TLS_ST_SR_CLNT_HELLO;
}

/// Returns the user of a Unix socket: this server's user and root are operators.
Peer user_behind(Local::socket &socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return {"unix", std::nullopt, {"local", Role::client}};
  const bool is_operator = who.uid == 0 || who.uid == geteuid();
  return {"unix:pid " + std::to_string(who.pid),
          std::nullopt,
          {"uid " + std::to_string(who.uid), is_operator ? Role::admin : Role::client}};
}

auto reporter(std::shared_ptr<Log> log) {
  return [log = std::move(log)](std::string_view event, const Failure &failure) {
    log->failure(Level::warning, event, failure);
  };
}

} // namespace

Result<std::unique_ptr<Server>> Server::open(ServerOptions options) {
  if (access(options.compiler.c_str(), X_OK) != 0)
    return std::unexpected(Failure{ErrorCode::no_compiler, options.compiler,
                                   "cannot be run: " + std::generic_category().message(errno),
                                   "install it, or name it with --compiler"});
  if (std::error_code error; !std::filesystem::is_regular_file(options.compiler, error))
    return std::unexpected(Failure{ErrorCode::no_compiler, options.compiler, "is no program",
                                   "name sartor-compiler with --compiler"});
  auto log = std::make_shared<Log>(options.log_format);
  if (options.allow_weak_confinement)
    log->write(Level::warning, "weak_confinement",
               "where the kernel has no Landlock, compilers are confined by seccomp alone "
               "(--allow-weak-confinement)");
  std::unique_ptr<core::DiskCache> disk;
  if (!options.cache_directory.empty())
    disk = core::DiskCache::open(options.cache_directory, options.cache_bytes, reporter(log));
  std::unique_ptr<core::SharedCache> elsewhere;
  if (!options.shared_cache.empty()) {
    core::SharedCacheOptions how;
    how.address = options.shared_cache;
    how.key_file = options.shared_cache_key;
    how.password_file = options.shared_cache_password_file;
    how.ca_file = options.shared_cache_ca_file;
    how.limit = options.cache_bytes;
    elsewhere = core::SharedCache::open(std::move(how), reporter(log));
  }
  auto groups = Groups::parse(options.groups);
  if (!groups)
    return std::unexpected(std::move(groups.error()));
  std::unique_ptr<Server> server(
      new Server(std::make_unique<Shared>(std::move(options), std::move(log), std::move(*groups),
                                          std::move(disk), std::move(elsewhere))));
  if (auto read = server->read_files(); !read)
    return std::unexpected(std::move(read.error()));
  return server;
}

Server::Server(std::unique_ptr<Shared> shared)
    : shared_(std::move(shared)), knows_([this](const base::PublicKey &key) {
        const Identity *known = shared_->clients.find(key);
        return known && known->role != Role::device;
      }) {
  shared_->pool.on_event([this](const CompilerEvent &event) { report_compiler(event); });
}

template <class Acceptor, class Serve>
asio::awaitable<void> Server::accept_all(Acceptor &acceptor, Serve serve) {
  while (!shared_->stopping) {
    std::error_code error;
    auto socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (shared_->stopping)
      break;
    if (error) {
      asio::steady_timer pause(loop_, kAcceptPause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    serve(std::move(socket));
  }
}

asio::awaitable<void> Server::accept(std::shared_ptr<tcp::acceptor> acceptor) {
  co_await accept_all(*acceptor, [this](tcp::socket socket) {
    asio::co_spawn(loop_, serve(std::move(socket)), asio::detached);
  });
}

asio::awaitable<void> Server::accept_devices(std::shared_ptr<tcp::acceptor> acceptor) {
  co_await accept_all(*acceptor, [this](tcp::socket socket) {
    asio::co_spawn(loop_, serve_device(std::move(socket)), asio::detached);
  });
}

asio::awaitable<void> Server::accept(std::shared_ptr<Local::acceptor> acceptor) {
  co_await accept_all(*acceptor, [this](Local::socket socket) {
    asio::co_spawn(loop_, serve(std::move(socket)), asio::detached);
  });
}

asio::awaitable<void> Server::serve(tcp::socket socket) {
  find_out_when_lost(socket);
  Peer peer{peer_text(socket), std::nullopt, {}};
  using Stream = asio::ssl::stream<tcp::socket>;
  const auto keys = shared_->keys; // the keys of the TLS context
  SocketWire<Stream> wire(Stream(std::move(socket), context_));
  SSL *const tls = wire.socket().native_handle();
  SSL_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
  std::optional<Newcomers::Place> place(std::in_place, shared_->newcomers, wire,
                                        [tls] { return has_begun(tls); });
  std::error_code error;
  {
    const Limit limit(loop_.get_executor(), wire, kHandshakePatience);
    co_await wire.socket().async_handshake(Stream::server,
                                           asio::redirect_error(asio::use_awaitable, error));
  }
  peer.key = error ? tls::refused_key_of(tls) : tls::peer_of(tls);
  // Looked up again: the key may have been removed meanwhile.
  const char *const refusal = place->is_lost()     ? "too_many_unknown"
                              : error && !peer.key ? "no_handshake"
                                                   : identify(peer, Port::programs);
  if (refusal)
    co_return note_refusal(*shared_, peer, refusal, error ? error.message() : "");
  const auto shown = tls::own_of(tls);
  const auto key = std::ranges::find(*keys, shown, &base::SecretKey::public_key);
  if (key == keys->end())
    co_return note_refusal(*shared_, peer, "no_handshake");
  place.reset();
  const Admission admission(*shared_, peer.identity.name);
  co_await converse(wire, std::move(peer), admission, Port::programs, {keys, &*key});
}

const char *Server::identify(Peer &peer, Port port) const {
  const Identity *known = peer.key ? shared_->clients.find(*peer.key) : nullptr;
  if (!known)
    return "unknown_key";
  peer.identity = *known;
  return (known->role == Role::device) == (port == Port::devices) ? nullptr : "wrong_role";
}

asio::awaitable<void> Server::serve_device(tcp::socket socket) {
  find_out_when_lost(socket);
  Peer peer{peer_text(socket), std::nullopt, {}};
  SocketWire<tcp::socket> wire(std::move(socket));
  bool has_opened = false;
  std::optional<Newcomers::Place> place(std::in_place, shared_->newcomers, wire,
                                        [&] { return has_opened; });
  const auto channel = co_await open_channel(wire, shared_->ledger.unknown());
  if (!channel)
    co_return note_refusal(*shared_, peer, place->is_lost() ? "too_many_unknown" : "no_handshake");
  has_opened = true;
  peer.key = co_await prove(wire, channel->binding);
  if (const char *refusal = peer.key ? identify(peer, Port::devices) : "no_handshake") {
    note_refusal(*shared_, peer, refusal);
    const Failure failure{ErrorCode::server_refused, "the device",
                          "has not proved to be one that this server knows",
                          "put its public key into the server's --devices"};
    (void)co_await send(wire, remote::Kind::failed, remote::to_bytes(failure));
    co_return co_await wire.finish();
  }
  place.reset();
  const Admission admission(*shared_, peer.identity.name);
  co_await converse(wire, std::move(peer), admission, Port::devices, channel->key);
}

/// Answers the first frame of a connection without TLS, and seals those that follow. The result is
/// empty if the peer sends something else.
asio::awaitable<std::optional<Server::Channel>> Server::open_channel(Wire &wire, Account &account) {
  const Limit limit(loop_.get_executor(), wire, kHandshakePatience);
  const auto opening = co_await receive(wire, {1 + remote::kMostOpening, kHandshakePatience},
                                        {account, shared_->heavy});
  if (!opening || !*opening || (*opening)->frame.kind != remote::Kind::open)
    co_return std::nullopt;
  const auto keys = shared_->keys;
  const auto answered = remote::answer_opening((*opening)->frame.body, *keys);
  if (!answered || !co_await send(wire, remote::Kind::opened, answered->answer))
    co_return std::nullopt;
  wire.take_seal(answered->opened.seal);
  co_return Channel{{keys, answered->key}, answered->opened.binding};
}

/// Returns the device's key, if it proves that it has it.
asio::awaitable<std::optional<base::PublicKey>> Server::prove(Wire &wire,
                                                              const base::ContentKey &binding) {
  base::PublicKey key;
  base::Signature signature;
  const Limit limit(loop_.get_executor(), wire, kHandshakePatience);
  const auto proof = co_await receive(
      wire, {1 + key.size() + signature.size() + remote::Seal::kOverhead, kHandshakePatience},
      {shared_->ledger.unknown(), shared_->heavy});
  if (!proof || !*proof || (*proof)->frame.kind != remote::Kind::proof ||
      (*proof)->frame.body.size() != key.size() + signature.size())
    co_return std::nullopt;
  const std::string &body = (*proof)->frame.body;
  std::copy_n(body.begin(), key.size(), key.begin());
  std::copy_n(body.begin() + key.size(), signature.size(), signature.begin());
  if (!base::is_signed(remote::device_proof_text(binding), signature, key))
    co_return std::nullopt;
  co_return key;
}

asio::awaitable<void> Server::serve(Local::socket socket) {
  Peer peer = user_behind(socket);
  const Admission admission(*shared_, peer.identity.name);
  if (admission.is_hopeless())
    co_return note_refusal(*shared_, peer, "too_many");
  SocketWire<Local::socket> wire(std::move(socket));
  const auto channel = co_await open_channel(wire, admission.account());
  if (!channel)
    co_return note_refusal(*shared_, peer, "no_handshake");
  co_await converse(wire, std::move(peer), admission, Port::programs, channel->key);
}

asio::awaitable<void> Server::converse(Wire &wire, Peer peer, const Admission &admission, Port port,
                                       ServerKey key) {
  if (const auto &why = admission.refusal()) {
    note_refusal(*shared_, peer, "too_many", why->message);
    if (admission.is_hopeless())
      co_return;
    (void)co_await send(wire, remote::Kind::failed, remote::to_bytes(*why));
    co_return co_await wire.finish();
  }
  const Connections::Entry entry(shared_->open, std::move(peer), std::move(key), wire);
  Conversation conversation(*shared_, wire, admission.account(), port, *entry);
  co_await conversation.run();
}

Result<void> Server::run() {
  for (const std::string &address : shared_->options.listen)
    if (auto listening = listen(address); !listening)
      return listening;
  for (const std::string &address : shared_->options.listen_devices)
    if (auto listening = listen_for_devices(address); !listening)
      return listening;
  shared_->pool.warm_up();
  if (auto showing = show_health(); !showing)
    return showing;
  const ServerOptions &options = shared_->options;
  shared_->drain = [this, patience = options.queue_timeout + options.compile_timeout] {
    asio::co_spawn(loop_, drain(patience), asio::detached);
  };
  // Signals are caught before the server says that it is ready.
  asio::co_spawn(loop_,
                 handle_signals(std::make_unique<asio::signal_set>(loop_, SIGTERM, SIGINT, SIGHUP)),
                 asio::detached);
  asio::co_spawn(loop_, take_care(), asio::detached);
  for (const std::string &address : shared_->addresses)
    shared_->log->write(Level::info, "listening", "listens at " + address, {{"address", address}});
  notify("READY=1");
  loop_.run();
  sockets_.clear();
  shared_->answers.join();
  return {};
}

} // namespace sartor::server

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remote/opening.h"
#include "server/conversation.h"

namespace sartor::server {

namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;

constexpr auto kHandshakePatience = 10s;
constexpr int kSilentSeconds = 10;
constexpr auto kStopPatience = 10s;
/// After accept() has failed, for want of file descriptors most likely.
constexpr auto kAcceptPause = 100ms;
constexpr auto kMetricsPause = 1s;
constexpr unsigned kLostMilliseconds = 30'000;

void say(const std::string &text) { std::fprintf(stderr, "sartor-server: %s\n", text.c_str()); }

std::unexpected<Failure> cannot_listen(const std::string &address, const std::string &why) {
  return std::unexpected(Failure{ErrorCode::file_error, address, "cannot be listened at: " + why,
                                 "give --listen another address"});
}

/// Most that the system keeps for a connection in each direction. It would grow by far more by
/// itself, for peers that do not read.
constexpr int kSocketBuffer = 256 << 10;

/// What is half-open is given up.
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

std::string text_of(const tcp::endpoint &endpoint) {
  const std::string host = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

/// Whether the peer's first message has come.
bool has_begun(const SSL *tls) {
  const OSSL_HANDSHAKE_STATE state = SSL_get_state(tls);
  return state != TLS_ST_BEFORE && state != TLS_ST_SR_CLNT_HELLO;
}

std::string user_behind(Local::socket &socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return "local";
  return "uid " + std::to_string(who.uid);
}

auto reporter() {
  return [](std::string_view event, const Failure &failure) {
    say(std::string(event) + ": " + failure.text());
  };
}

} // namespace

Result<std::unique_ptr<Server>> Server::open(ServerOptions options) {
  auto key = keys::SecretKey::read(options.key);
  if (!key)
    return std::unexpected(std::move(key.error()));
  if (access(options.compiler.c_str(), X_OK) != 0)
    return std::unexpected(Failure{ErrorCode::no_compiler, options.compiler,
                                   "cannot be run: " + std::generic_category().message(errno),
                                   "install it, or name it with --compiler"});
  std::unique_ptr<store::DiskCache> disk;
  if (!options.cache_directory.empty())
    disk = store::DiskCache::open(options.cache_directory, options.cache_bytes, reporter());
  std::unique_ptr<store::SharedCache> elsewhere;
  if (!options.shared_cache.empty()) {
    store::SharedCacheOptions how;
    how.address = options.shared_cache;
    how.key_file = options.shared_cache_key;
    how.password_file = options.shared_cache_password_file;
    how.ca_file = options.shared_cache_ca_file;
    how.limit = options.cache_bytes;
    elsewhere = store::SharedCache::open(std::move(how), reporter());
  }
  auto groups = Groups::parse(options.groups);
  if (!groups)
    return std::unexpected(std::move(groups.error()));
  std::unique_ptr<Server> server(new Server(std::make_unique<Shared>(
      std::move(options), *key, std::move(*groups), std::move(disk), std::move(elsewhere))));
  if (auto read = server->read_files(); !read)
    return std::unexpected(std::move(read.error()));
  return server;
}

Server::Server(std::unique_ptr<Shared> shared)
    : shared_(std::move(shared)), knows_([this](const keys::PublicKey &key) {
        return shared_->clients.name_of(key).has_value();
      }) {}

Result<void> Server::read_files() {
  if (!shared_->options.clients.empty()) {
    auto read = Clients::read(shared_->options.clients);
    if (!read)
      return std::unexpected(std::move(read.error()));
    shared_->clients = std::move(*read);
  }
  if (!shared_->options.modules.empty())
    if (auto read = shared_->modules.read(shared_->options.modules); !read)
      return std::unexpected(std::move(read.error()));
  return {};
}

template <class Acceptor>
Result<void> Server::open(Acceptor &acceptor, const typename Acceptor::endpoint_type &endpoint,
                          const std::string &address) {
  std::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error && endpoint.protocol().family() != AF_UNIX)
    acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error)
    acceptor.bind(endpoint, error);
  // The client speaks first. One that says nothing stays with the system, where it takes little.
  if (!error && endpoint.protocol().family() != AF_UNIX)
    (void)setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_DEFER_ACCEPT, &kSilentSeconds,
                     sizeof kSilentSeconds);
  if (!error)
    acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error ? cannot_listen(address, error.message()) : Result<void>();
}

Result<void> Server::listen(const std::string &text) {
  const auto address = remote::ServerAddress::parse(text);
  if (!address)
    return cannot_listen(text, address.error().message);
  if (!address->path.empty()) {
    // What a server has left behind that was killed; nobody listens there.
    Local::socket probe(loop_);
    std::error_code error;
    (void)probe.connect(Local::endpoint(address->path), error);
    if (error == asio::error::connection_refused)
      unlink(address->path.c_str());
    Local::acceptor acceptor(loop_);
    const mode_t before = umask(0117); // this user's and group's
    auto opened = open(acceptor, Local::endpoint(address->path), text);
    umask(before);
    if (!opened)
      return opened;
    sockets_.push_back(address->path);
    listened_.push_back(text);
    asio::co_spawn(loop_, accept(std::move(acceptor)), asio::detached);
    return {};
  }
  auto acceptor = listen_by_tcp(text);
  if (!acceptor)
    return std::unexpected(std::move(acceptor.error()));
  asio::co_spawn(loop_, accept(std::move(*acceptor)), asio::detached);
  return {};
}

Result<void> Server::listen_for_devices(const std::string &text) {
  auto acceptor = listen_by_tcp(text);
  if (!acceptor)
    return std::unexpected(std::move(acceptor.error()));
  asio::co_spawn(loop_, accept_devices(std::move(*acceptor)), asio::detached);
  return {};
}

Result<tcp::acceptor> Server::listen_by_tcp(const std::string &text) {
  const auto address = remote::ServerAddress::parse(text);
  if (!address || !address->path.empty())
    return cannot_listen(text, address ? "is no address of TCP" : address.error().message);
  if (shared_->options.clients.empty())
    return cannot_listen(text, "nobody would be let in: name the directory of --clients' keys");
  std::error_code error;
  tcp::resolver resolver(loop_);
  const auto found = resolver.resolve(address->host, address->port, error);
  if (error)
    return cannot_listen(text, error.message());
  tcp::acceptor acceptor(loop_);
  if (auto opened = open(acceptor, found.begin()->endpoint(), text); !opened)
    return std::unexpected(std::move(opened.error()));
  listened_.push_back("tcp://" + text_of(acceptor.local_endpoint()));
  return acceptor;
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

asio::awaitable<void> Server::accept(tcp::acceptor acceptor) {
  co_await accept_all(acceptor, [this](tcp::socket socket) {
    asio::co_spawn(loop_, serve(std::move(socket)), asio::detached);
  });
}

asio::awaitable<void> Server::accept_devices(tcp::acceptor acceptor) {
  co_await accept_all(acceptor, [this](tcp::socket socket) {
    asio::co_spawn(loop_, serve_device(std::move(socket)), asio::detached);
  });
}

asio::awaitable<void> Server::accept(Local::acceptor acceptor) {
  co_await accept_all(acceptor, [this](Local::socket socket) {
    asio::co_spawn(loop_, serve(std::move(socket)), asio::detached);
  });
}

asio::awaitable<void> Server::serve(tcp::socket socket) {
  find_out_when_lost(socket);
  using Stream = asio::ssl::stream<tcp::socket>;
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
  const auto key = error ? std::nullopt : tls::peer_of(wire.socket().native_handle());
  const auto client = key ? shared_->clients.name_of(*key) : std::nullopt;
  if (!client) {
    const char *const why = place->is_lost() ? "too_many_unknown"
                            : error          ? "no_handshake"
                                             : "unknown_key";
    shared_->metrics.refused(why).Increment();
    co_return;
  }
  place.reset();
  co_await converse(wire, Admission(*shared_, *client), Port::programs, shared_->key);
}

asio::awaitable<void> Server::serve_device(tcp::socket socket) {
  find_out_when_lost(socket);
  SocketWire<tcp::socket> wire(std::move(socket));
  bool has_opened = false;
  std::optional<Newcomers::Place> place(std::in_place, shared_->newcomers, wire,
                                        [&] { return has_opened; });
  const auto channel = co_await open_channel(wire, shared_->ledger.unknown());
  if (!channel) {
    shared_->metrics.refused(place->is_lost() ? "too_many_unknown" : "no_handshake").Increment();
    co_return;
  }
  has_opened = true;
  const auto client = co_await prove(wire, channel->binding);
  if (!client) {
    shared_->metrics.refused("unknown_key").Increment();
    const Failure failure{ErrorCode::server_refused, "the device",
                          "has not proved to be one that this server knows",
                          "put its public key into the server's --clients"};
    (void)co_await send(wire, remote::Kind::failed, remote::to_bytes(failure));
    co_return co_await wire.finish();
  }
  place.reset();
  co_await converse(wire, Admission(*shared_, *client), Port::devices, *channel->key);
}

/// Answers the first frame of a connection without TLS, and seals those that follow. Empty where
/// the peer does something else.
asio::awaitable<std::optional<Server::Channel>> Server::open_channel(Wire &wire, Account &account) {
  const Limit limit(loop_.get_executor(), wire, kHandshakePatience);
  const auto opening = co_await receive(wire, {1 + remote::kMostOpening, kHandshakePatience},
                                        {account, shared_->heavy});
  if (!opening || !*opening || (*opening)->frame.kind != remote::Kind::open)
    co_return std::nullopt;
  const auto answered = remote::answer_opening((*opening)->frame.body, {&shared_->key, 1});
  if (!answered || !co_await send(wire, remote::Kind::opened, answered->answer))
    co_return std::nullopt;
  wire.take_seal(answered->opened.seal);
  co_return Channel{answered->key, answered->opened.binding};
}

/// The name of the device, if it proves to have a key that the server knows.
asio::awaitable<std::optional<std::string>> Server::prove(Wire &wire,
                                                          const store::ContentKey &binding) {
  keys::PublicKey key;
  keys::Signature signature;
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
  if (!keys::is_signed(remote::device_proof_text(binding), signature, key))
    co_return std::nullopt;
  co_return shared_->clients.name_of(key);
}

asio::awaitable<void> Server::serve(Local::socket socket) {
  const Admission admission(*shared_, user_behind(socket));
  if (admission.is_hopeless())
    co_return;
  SocketWire<Local::socket> wire(std::move(socket));
  const auto channel = co_await open_channel(wire, admission.account());
  if (!channel) {
    shared_->metrics.refused("no_handshake").Increment();
    co_return;
  }
  co_await converse(wire, admission, Port::programs, *channel->key);
}

asio::awaitable<void> Server::converse(Wire &wire, const Admission &admission, Port port,
                                       const keys::SecretKey &key) {
  if (const auto &why = admission.refusal()) {
    (void)co_await send(wire, remote::Kind::failed, remote::to_bytes(*why));
    co_return co_await wire.finish();
  }
  Conversation conversation(*shared_, wire, admission.account(), port, key);
  co_await conversation.run();
}

asio::awaitable<void> Server::handle_signals() {
  asio::signal_set signals(loop_, SIGTERM, SIGINT, SIGHUP);
  for (;;) {
    const int signal = co_await signals.async_wait(asio::use_awaitable);
    if (signal != SIGHUP)
      break;
    const auto read = read_files();
    say(read ? "has read its clients and modules again: " +
                   std::to_string(shared_->clients.size()) + " clients"
             : "goes on with what it had: " + read.error().text());
  }
  shared_->stopping = true;
  say("ends");
  const auto until = std::chrono::steady_clock::now() + kStopPatience;
  asio::steady_timer pause(loop_);
  while (shared_->pool.working() > 0 && std::chrono::steady_clock::now() < until) {
    pause.expires_after(50ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
  loop_.stop();
}

asio::awaitable<void> Server::tell_metrics() {
  asio::steady_timer pause(loop_);
  for (unsigned told = 0;;) {
    shared_->metrics.connections.Set(static_cast<double>(shared_->all_connections));
    shared_->metrics.waiting.Set(static_cast<double>(shared_->pool.waiting()));
    shared_->metrics.working.Set(static_cast<double>(shared_->pool.working()));
    shared_->metrics.cached_bytes.Set(static_cast<double>(shared_->answers.bytes()));
    const unsigned starts = shared_->pool.starts();
    shared_->metrics.compilers_started.Increment(starts - std::exchange(told, starts));
    release_freed_memory(shared_->ledger.bytes());
    pause.expires_after(kMetricsPause);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

Result<void> Server::run() {
  auto context = tls::make_context(tls::Side::server, {&shared_->key, 1}, knows_);
  if (!context)
    return std::unexpected(Failure{ErrorCode::file_error, "OpenSSL",
                                   "cannot do TLS 1.3 with Ed25519 keys here",
                                   "install OpenSSL 3.0 or later"});
  context_ = asio::ssl::context(context.release());
  for (const std::string &address : shared_->options.listen)
    if (auto listening = listen(address); !listening)
      return listening;
  for (const std::string &address : shared_->options.listen_devices)
    if (auto listening = listen_for_devices(address); !listening)
      return listening;
  shared_->pool.warm_up();
  if (!shared_->options.metrics.empty())
    shared_->metrics.show_at(shared_->options.metrics);
  asio::co_spawn(loop_, handle_signals(), asio::detached);
  asio::co_spawn(loop_, tell_metrics(), asio::detached);
  for (const std::string &address : listened_)
    say("listens at " + address);
  loop_.run();
  for (const std::string &path : sockets_)
    unlink(path.c_str());
  shared_->answers.join();
  return {};
}

} // namespace sartor::server

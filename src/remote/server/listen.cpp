// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The server's listening sockets.
#include <system_error>
#include <utility>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include "remote/protocol/server_address.h"
#include "remote/server/endpoint_text.h"
#include "remote/server/server.h"

namespace sartor::server {

namespace {

using asio::ip::tcp;

constexpr int kSilentSeconds = 10;

std::unexpected<Failure> cannot_listen(const std::string &address, const std::string &why,
                                       std::string remedy = "give --listen another address") {
  return std::unexpected(
      Failure{ErrorCode::file_error, address, "cannot be listened at: " + why, std::move(remedy)});
}

} // namespace

/// Keeps an acceptor, which is closed when the server is drained.
template <class Acceptor> std::shared_ptr<Acceptor> Server::keep(Acceptor acceptor) {
  auto kept = std::make_shared<Acceptor>(std::move(acceptor));
  closers_.emplace_back([kept] {
    std::error_code ignored;
    kept->close(ignored);
  });
  return kept;
}

Result<void> Server::listen(const std::string &text) {
  const auto address = remote::ServerAddress::parse(text);
  if (!address)
    return cannot_listen(text, address.error().message);
  if (!address->path.empty())
    return listen_locally(address->path);
  if (shared_->options.known.clients.empty() && shared_->options.known.operators.empty())
    return cannot_listen(text, "no client would be let in",
                         "name the directory of the clients' keys with --clients");
  auto acceptor = listen_by_tcp(text);
  if (!acceptor)
    return std::unexpected(std::move(acceptor.error()));
  asio::co_spawn(loop_, accept(std::move(*acceptor)), asio::detached);
  return {};
}

Result<void> Server::listen_locally(const std::string &path) {
  std::optional<gid_t> group;
  if (const std::string &name = shared_->options.listen_group; !name.empty()) {
    const auto found = group_named(name);
    if (!found)
      return std::unexpected(found.error());
    group = *found;
  }
  auto socket = LocalSocket::listen(path, group);
  if (!socket)
    return std::unexpected(std::move(socket.error()));
  auto acceptor = keep(Local::acceptor(loop_, Local(), socket->take()));
  sockets_.push_back(std::move(*socket));
  shared_->addresses.push_back("unix:" + path);
  asio::co_spawn(loop_, accept(std::move(acceptor)), asio::detached);
  return {};
}

Result<void> Server::listen_for_devices(const std::string &text) {
  if (shared_->options.known.devices.empty())
    return cannot_listen(text, "no device would be let in",
                         "name the directory of the devices' keys with --devices");
  auto acceptor = listen_by_tcp(text);
  if (!acceptor)
    return std::unexpected(std::move(acceptor.error()));
  asio::co_spawn(loop_, accept_devices(std::move(*acceptor)), asio::detached);
  return {};
}

Result<std::shared_ptr<tcp::acceptor>> Server::listen_by_tcp(const std::string &text) {
  const auto address = remote::ServerAddress::parse(text);
  if (!address || !address->path.empty())
    return cannot_listen(text, address ? "is no address of TCP" : address.error().message);
  std::error_code error;
  tcp::resolver resolver(loop_);
  const auto found = resolver.resolve(address->host, address->port, error);
  if (error)
    return cannot_listen(text, error.message());
  const tcp::endpoint endpoint = found.begin()->endpoint();
  tcp::acceptor acceptor(loop_);
  (void)acceptor.open(endpoint.protocol(), error);
  if (!error)
    (void)acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error)
    (void)acceptor.bind(endpoint, error);
  // The client sends the first bytes. A connection without any stays in the kernel, where it takes
  // little memory.
  if (!error)
    (void)setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_DEFER_ACCEPT, &kSilentSeconds,
                     sizeof kSilentSeconds);
  if (!error)
    (void)acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return cannot_listen(text, error.message());
  shared_->addresses.push_back("tcp://" + text_of(acceptor.local_endpoint()));
  return keep(std::move(acceptor));
}

} // namespace sartor::server

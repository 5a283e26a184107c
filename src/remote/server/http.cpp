// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/http.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "remote/protocol/server_address.h"

namespace sartor::server {

namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

constexpr std::size_t kMostHeader = 8192;
constexpr std::size_t kMostConnections = 32;
constexpr auto kPatience = 5s;
constexpr auto kAcceptPause = 100ms;

std::unexpected<Failure> fail(const std::string &address, std::string why) {
  return std::unexpected(Failure{ErrorCode::file_error, address,
                                 "cannot be listened at: " + std::move(why),
                                 "give --metrics HOST:PORT, or PORT for 127.0.0.1"});
}

const char *phrase_of(unsigned status) {
  switch (status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  default:
    return "Service Unavailable";
  }
}

std::string text_of(const HttpAnswer &answer) {
  return "HTTP/1.1 " + std::to_string(answer.status) + " " + phrase_of(answer.status) +
         "\r\nContent-Type: " + answer.type +
         "\r\nContent-Length: " + std::to_string(answer.body.size()) +
         "\r\nConnection: close\r\n\r\n" + answer.body;
}

} // namespace

Result<tcp::endpoint> Http::listen(const std::string &address) {
  const bool is_port = address.find_first_not_of("0123456789") == std::string::npos;
  const auto parsed =
      remote::ServerAddress::parse((is_port ? "tcp://127.0.0.1:" : "tcp://") + address);
  if (!parsed)
    return fail(address, parsed.error().message);
  std::error_code error;
  tcp::resolver resolver(loop_);
  const auto found = resolver.resolve(parsed->host, parsed->port, error);
  if (error)
    return fail(address, error.message());
  const tcp::endpoint endpoint = found.begin()->endpoint();
  auto acceptor = std::make_shared<tcp::acceptor>(loop_);
  (void)acceptor->open(endpoint.protocol(), error);
  if (!error)
    (void)acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error)
    (void)acceptor->bind(endpoint, error);
  if (!error)
    (void)acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return fail(address, error.message());
  const tcp::endpoint listening = acceptor->local_endpoint();
  asio::co_spawn(loop_, accept(std::move(acceptor)), asio::detached);
  return listening;
}

asio::awaitable<void> Http::accept(std::shared_ptr<tcp::acceptor> acceptor) {
  for (;;) {
    std::error_code error;
    auto socket = co_await acceptor->async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error) {
      asio::steady_timer pause(loop_, kAcceptPause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    if (open_.size() >= kMostConnections) {
      (void)open_.front()->close(error);
      open_.pop_front();
    }
    open_.push_back(std::make_shared<Socket>(std::move(socket)));
    asio::co_spawn(loop_, serve(open_.back()), asio::detached);
  }
}

asio::awaitable<void> Http::serve(std::shared_ptr<Socket> socket) {
  asio::steady_timer limit(loop_, kPatience);
  limit.async_wait([socket](std::error_code error) {
    if (!error)
      (void)socket->close(error);
  });
  std::error_code error;
  std::string request;
  const std::size_t size =
      co_await asio::async_read_until(*socket, asio::dynamic_buffer(request, kMostHeader),
                                      "\r\n\r\n", asio::redirect_error(asio::use_awaitable, error));
  if (!error) {
    const std::string text = text_of(answer(std::string_view(request).substr(0, size)));
    co_await asio::async_write(*socket, asio::buffer(text),
                               asio::redirect_error(asio::use_awaitable, error));
    (void)socket->shutdown(Socket::shutdown_send, error);
  }
  limit.cancel();
  (void)socket->close(error);
  std::erase(open_, socket);
}

HttpAnswer Http::answer(std::string_view request) const {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last ||
      !line.substr(last).starts_with(" HTTP/1."))
    return {400, "not HTTP\n"};
  if (line.substr(0, first) != "GET")
    return {405, "GET only\n"};
  const std::string_view target = line.substr(first + 1, last - first - 1);
  return get_(target.substr(0, target.find('?')));
}

} // namespace sartor::server

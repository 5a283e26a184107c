// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/http/http.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "remote/protocol/server_address.h"

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

constexpr std::size_t kMostConnections = 32;
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
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 500:
    return "Internal Server Error";
  default:
    return "Service Unavailable";
  }
}

bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(
      one, other, {}, [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

} // namespace

HttpRequest::Header HttpRequest::header(std::string_view name) const {
  Header found;
  for (std::size_t at = text.find("\r\n"); at != std::string_view::npos;) {
    const std::size_t begin = at + 2;
    const std::size_t end = text.find("\r\n", begin);
    if (end == std::string_view::npos)
      break;
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && same_name(line.substr(0, colon), name)) {
      std::string_view value = line.substr(colon + 1);
      value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
      value = value.substr(0, value.find_last_not_of(" \t") + 1);
      found = {found.times + 1, value};
    }
    at = end;
  }
  return found;
}

Result<tcp::endpoint> Http::listen(const std::string &address) {
  const bool is_port = address.find_first_not_of("0123456789") == std::string::npos;
  const auto parsed = ServerAddress::parse((is_port ? "tcp://127.0.0.1:" : "tcp://") + address);
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
  asio::steady_timer limit(loop_, options_.patience);
  limit.async_wait([socket](std::error_code error) {
    if (!error)
      (void)socket->close(error);
  });
  std::error_code error;
  std::string request;
  const std::size_t size = co_await asio::async_read_until(
      *socket, asio::dynamic_buffer(request, options_.most_header_bytes), "\r\n\r\n",
      asio::redirect_error(asio::use_awaitable, error));
  if (!error) {
    const std::string text = text_of(answer_or_error(std::string_view(request).substr(0, size)));
    co_await asio::async_write(*socket, asio::buffer(text),
                               asio::redirect_error(asio::use_awaitable, error));
    (void)socket->shutdown(Socket::shutdown_send, error);
  }
  limit.cancel();
  (void)socket->close(error);
  std::erase(open_, socket);
}

HttpAnswer Http::answer_or_error(std::string_view request) const {
  try {
    return answer(request);
  } catch (const std::exception &error) {
    return {500, "cannot be answered: " + std::string(error.what()) + "\n"};
  }
}

HttpAnswer Http::answer(std::string_view request) const {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last ||
      !line.substr(last).starts_with(" HTTP/1."))
    return {400, "not HTTP\n"};
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view path = target.substr(0, target.find('?'));
  const HttpRequest asked{path, target.substr(std::min(path.size() + 1, target.size())), request};
  if (options_.refuse)
    if (auto refused = options_.refuse(asked))
      return std::move(*refused);
  if (line.substr(0, first) != "GET")
    return {405, "GET only\n"};
  return get_(asked);
}

std::string Http::text_of(const HttpAnswer &answer) const {
  return "HTTP/1.1 " + std::to_string(answer.status) + " " + phrase_of(answer.status) +
         "\r\nContent-Type: " + answer.type +
         "\r\nContent-Length: " + std::to_string(answer.body.size()) + "\r\n" + options_.headers +
         "Connection: close\r\n\r\n" + answer.body;
}

} // namespace sartor::remote

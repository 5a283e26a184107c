// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/web_server.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

#include <sodium.h>

namespace sartor::view {

namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

constexpr std::size_t kMostHeader = 16384;
constexpr std::size_t kMostConnections = 32;
constexpr auto kPatience = 10s;
constexpr auto kAcceptPause = 100ms;

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(
      one, other, {}, [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

/// The value of a header; nothing if it is missing, or given more than once.
struct Header {
  int times = 0;
  std::string_view value;
};

Header header(std::string_view request, std::string_view name) {
  Header found;
  for (std::size_t at = request.find("\r\n"); at != std::string_view::npos;) {
    const std::size_t begin = at + 2, end = request.find("\r\n", begin);
    if (end == std::string_view::npos)
      break;
    const std::string_view line = request.substr(begin, end - begin);
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

bool is_same(std::string_view given, std::string_view secret) {
  return given.size() == secret.size() &&
         sodium_memcmp(given.data(), secret.data(), secret.size()) == 0;
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
  default:
    return "Method Not Allowed";
  }
}

} // namespace

Result<void> WebServer::listen() {
  std::error_code error;
  (void)acceptor_.open(tcp::v4(), error);
  if (!error)
    (void)acceptor_.bind({asio::ip::address_v4::loopback(), 0}, error);
  if (!error)
    (void)acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error && sodium_init() < 0)
    error = std::make_error_code(std::errc::no_such_device);
  if (error)
    return std::unexpected(Failure{ErrorCode::file_error, "127.0.0.1",
                                   "cannot be listened at: " + error.message(),
                                   "see whether this process may open sockets"});
  host_ = "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  path_ = "/" + random_token() + "/";
  return {};
}

void WebServer::run() {
  asio::signal_set signals(loop_, SIGINT, SIGTERM);
  signals.async_wait([&](std::error_code, int) { loop_.stop(); });
  asio::co_spawn(loop_, accept(), asio::detached);
  loop_.run();
}

asio::awaitable<void> WebServer::accept() {
  for (;;) {
    std::error_code error;
    auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
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

asio::awaitable<void> WebServer::serve(std::shared_ptr<Socket> socket) {
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

WebAnswer WebServer::answer(std::string_view request) const {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last ||
      !line.substr(last).starts_with(" HTTP/1."))
    return {400, "not HTTP\n"};
  if (const Header host = header(request, "Host"); host.times != 1 || host.value != host_)
    return {403, "for requests to " + host_ + " only\n"};
  if (const Header origin = header(request, "Origin");
      origin.times > 1 || (origin.times == 1 && origin.value != "http://" + host_))
    return {403, "for its own page only\n"};
  if (const Header site = header(request, "Sec-Fetch-Site");
      site.times > 1 || (site.times == 1 && site.value != "same-origin" && site.value != "none"))
    return {403, "for its own page only\n"};
  if (line.substr(0, first) != "GET")
    return {405, "GET only\n"};
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_same(target.substr(0, path_.size()), path_))
    return {404, "use the address that `sartor view` has printed\n"};
  const std::string_view below = target.substr(path_.size());
  const std::size_t mark = below.find('?');
  return get_(below.substr(0, mark),
              mark == std::string_view::npos ? std::string_view() : below.substr(mark + 1));
}

std::string WebServer::text_of(const WebAnswer &answer) const {
  return "HTTP/1.1 " + std::to_string(answer.status) + " " + phrase_of(answer.status) +
         "\r\nContent-Type: " + answer.type +
         "\r\nContent-Length: " + std::to_string(answer.body.size()) +
         "\r\nContent-Security-Policy: " + policy_ +
         "\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY"
         "\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin"
         "\r\nCross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store"
         "\r\nConnection: close\r\n\r\n" +
         answer.body;
}

} // namespace sartor::view

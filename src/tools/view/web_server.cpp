// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/web_server.h"

#include <array>
#include <csignal>
#include <system_error>
#include <utility>

#include <sodium.h>

namespace sartor::view {

namespace {

using remote::HttpAnswer;
using remote::HttpRequest;

constexpr std::size_t kMostHeaderBytes = 16384; // with the cookies of other servers on this machine
constexpr std::chrono::seconds kPatience{120};  // with the time to compile a variant

std::string random_token() {
  std::array<unsigned char, 16> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

bool is_same(std::string_view given, std::string_view secret) {
  return given.size() == secret.size() &&
         sodium_memcmp(given.data(), secret.data(), secret.size()) == 0;
}

std::string headers_with(const std::string &policy) {
  return "Content-Security-Policy: " + policy +
         "\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY"
         "\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin"
         "\r\nCross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store\r\n";
}

Failure not_listening(const std::string &why) {
  return {ErrorCode::file_error, "127.0.0.1", why, "see whether this process may open sockets"};
}

} // namespace

WebServer::WebServer(Get get, const std::string &policy)
    : get_(std::move(get)),
      http_(loop_, [this](const HttpRequest &request) { return answer(request); },
            {kMostHeaderBytes, kPatience, headers_with(policy),
             [this](const HttpRequest &request) { return refuse(request); }}) {}

Result<void> WebServer::listen() {
  if (sodium_init() < 0)
    return std::unexpected(not_listening("libsodium has no source of random numbers"));
  const auto listening = http_.listen("0");
  if (!listening)
    return std::unexpected(not_listening(listening.error().message));
  host_ = "127.0.0.1:" + std::to_string(listening->port());
  path_ = "/" + random_token() + "/";
  return {};
}

void WebServer::run() {
  asio::signal_set signals(loop_, SIGINT, SIGTERM);
  signals.async_wait([&](std::error_code, int) { loop_.stop(); });
  loop_.run();
}

std::optional<HttpAnswer> WebServer::refuse(const HttpRequest &request) const {
  const auto host = request.header("Host");
  if (host.times != 1 || host.value != host_)
    return HttpAnswer{403, "for requests to " + host_ + " only\n"};
  const auto origin = request.header("Origin");
  const auto site = request.header("Sec-Fetch-Site");
  if (origin.times > 1 || (origin.times == 1 && origin.value != "http://" + host_) ||
      site.times > 1 || (site.times == 1 && site.value != "same-origin" && site.value != "none"))
    return HttpAnswer{403, "for its own page only\n"};
  return std::nullopt;
}

HttpAnswer WebServer::answer(const HttpRequest &request) const {
  if (!is_same(request.path.substr(0, path_.size()), path_))
    return {404, "use the address that `sartor view` has printed\n"};
  return get_(request.path.substr(path_.size()), request.query);
}

} // namespace sartor::view

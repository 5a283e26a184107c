// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/server_metrics.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "remote/http/asio.h"
#include "remote/http/http.h"

namespace sartor::view {

namespace {

constexpr std::chrono::seconds kPatience{3};
constexpr std::size_t kMostAnswer = std::size_t{4} << 20;

/// False if the connection has ended within the body.
bool is_whole(std::string_view headers, std::size_t body) {
  const auto length =
      remote::HttpRequest{.path = {}, .query = {}, .text = headers}.header("Content-Length").value;
  std::size_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  return body >= bytes;
}

bool is_port(const std::string &text) {
  const char *const end = text.data() + text.size();
  std::uint16_t port = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && rest == end && port != 0;
}

} // namespace

Result<ServerMetrics> ServerMetrics::at(const std::string &address) {
  const std::size_t colon = address.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : address.substr(0, colon);
  std::string port = colon == std::string::npos ? address : address.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) // IPv6
    host = host.substr(1, host.size() - 2);
  // A line break would begin another header of the request.
  if (host.empty() || host.find_first_of("\r\n/ ") != std::string::npos || !is_port(port))
    return std::unexpected(Failure{ErrorCode::bad_argument, address, "is no address",
                                   "give HOST:PORT or PORT, as for --metrics of sartor-server"});
  return ServerMetrics(std::move(host), std::move(port));
}

Result<ServerMetrics::Answer> ServerMetrics::get(const std::string &path) const {
  const auto fail = [&](std::string why) {
    return std::unexpected(Failure{ErrorCode::file_error, name(), std::move(why),
                                   "start sartor-server with --metrics, and give its address"});
  };
  asio::ip::tcp::iostream stream;
  stream.expires_after(kPatience);
  stream.connect(host_, port_);
  stream << "GET " << path << " HTTP/1.1\r\nHost: " << name() << "\r\nConnection: close\r\n\r\n"
         << std::flush;
  if (!stream)
    return fail("cannot be reached: " + stream.error().message());
  std::string text;
  for (char byte = 0; text.size() < kMostAnswer && stream.get(byte);)
    text.push_back(byte);
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  const std::size_t body = text.find("\r\n\r\n");
  int status = 0;
  const char *const digits = text.data() + std::min(kVersion.size(), text.size());
  std::from_chars(digits, text.data() + text.size(), status);
  if (!text.starts_with(kVersion) || body == std::string::npos || text.size() >= kMostAnswer ||
      !is_whole(std::string_view(text).substr(0, body + 2), text.size() - body - 4))
    return fail("has not answered as a specialization server does");
  return Answer{status, text.substr(body + 4)};
}

Result<nlohmann::ordered_json> ServerMetrics::read() const {
  auto metrics = get("/metrics");
  if (!metrics)
    return std::unexpected(std::move(metrics.error()));
  auto ready = get("/readyz");
  if (!ready)
    return std::unexpected(std::move(ready.error()));
  while (ready->body.ends_with('\n'))
    ready->body.pop_back();
  return nlohmann::ordered_json{{"metrics", metrics->status == 200 ? metrics->body : ""},
                                {"ready", ready->status == 200},
                                {"state", ready->body}};
}

} // namespace sartor::view

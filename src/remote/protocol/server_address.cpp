// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/server_address.h"

#include <charconv>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/un.h>

namespace sartor::remote {

namespace {

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

} // namespace

Result<ServerAddress> ServerAddress::parse(const std::string &text) {
  const auto bad = [&](std::string why) {
    return std::unexpected(Failure{ErrorCode::no_compiler, text, std::move(why),
                                   "write tcp://HOST:PORT, tcp://[ADDRESS]:PORT or unix:/PATH"});
  };
  ServerAddress address;
  std::string_view rest = text;
  if (rest.starts_with("unix:")) {
    address.path = rest.substr(5);
    if (!address.path.starts_with('/') || address.path.size() >= sizeof(sockaddr_un::sun_path))
      return bad("the path is not absolute, or too long for a socket");
    return address;
  }
  constexpr std::string_view scheme = "tcp://";
  if (!rest.starts_with(scheme))
    return bad("is no address of a server");
  rest.remove_prefix(scheme.size());
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos || !is_port(rest.substr(colon + 1)))
    return bad("has no port");
  address.port = rest.substr(colon + 1);
  rest = rest.substr(0, colon);
  const bool is_bracketed = rest.starts_with('[') && rest.ends_with(']');
  if (is_bracketed)
    rest = rest.substr(1, rest.size() - 2);
  if (rest.empty() || (!is_bracketed && rest.contains(':')))
    return bad("has no host");
  address.host = rest;
  return address;
}

Result<std::vector<ServerAddress>> ServerAddress::parse_list(const std::string &text) {
  std::vector<ServerAddress> all;
  for (const auto each : std::views::split(text, ',')) {
    auto address = parse(std::string(std::string_view(each)));
    if (!address)
      return std::unexpected(std::move(address.error()));
    all.push_back(std::move(*address));
  }
  return all;
}

} // namespace sartor::remote

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/redis.h"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace sartor::core {

namespace {

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return std::nullopt;
  return value;
}

} // namespace

std::string RedisAddress::text() const {
  if (!path.empty())
    return "unix:" + path;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (tls ? "rediss://" : "redis://") + (user.empty() ? "" : user + "@") +
         (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + "/" +
         std::to_string(database);
}

Result<RedisAddress> parse_redis_address(std::string_view text) {
  // Names only the scheme, because the rest may contain a password.
  const auto bad = [&](std::string why, std::string remedy =
                                            "write redis://HOST:PORT/DATABASE, rediss://USER@HOST "
                                            "(TLS), or unix:/PATH") {
    return std::unexpected(Failure{ErrorCode::store_unreachable,
                                   std::string(text.substr(0, text.find(':'))), std::move(why),
                                   std::move(remedy)});
  };
  RedisAddress address;
  if (text.starts_with("unix:")) {
    address.path = text.substr(5);
    if (!address.path.starts_with('/'))
      return bad("the path of the socket is not absolute");
    return address;
  }
  constexpr std::string_view scheme = "redis://";
  constexpr std::string_view secure_scheme = "rediss://";
  address.tls = text.starts_with(secure_scheme);
  if (!address.tls && !text.starts_with(scheme))
    return bad("is not the address of a Redis server");
  std::string_view rest = text.substr(address.tls ? secure_scheme.size() : scheme.size());
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    address.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (address.user.contains(':'))
      return bad("has a password in it, which other users of the machine can see",
                 "write redis://USER@HOST and give the password in a file: "
                 "--shared-cache-password-file, Options::shared_cache_password_file or "
                 "SARTOR_SHARED_CACHE_PASSWORD_FILE");
    if (address.user.empty())
      return bad("names no user before the @");
  }
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    const auto database = number(rest.substr(slash + 1));
    if (!database && slash + 1 < rest.size())
      return bad("the database is not a number");
    address.database = database.value_or(0);
    rest = rest.substr(0, slash);
  }
  const auto bracket = rest.rfind(']');
  if (const auto colon = rest.rfind(':');
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    const auto port = number(rest.substr(colon + 1));
    if (!port || *port == 0 || *port > 65535)
      return bad("the port is not one");
    address.port = *port;
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']'))
    rest = rest.substr(1, rest.size() - 2);
  if (rest.empty())
    return bad("names no host");
  address.host = rest;
  return address;
}

} // namespace sartor::core

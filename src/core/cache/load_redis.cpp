// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "core/cache/redis.h"
#include "core/cache/secret_file.h"

namespace sartor::core {

Result<std::unique_ptr<RedisLink>> connect_redis(const RedisServer &server, RedisLimits limits) {
  const auto library = base::load_own_library(
      "libsartor-redis.so.0", kRedisSymbol, std::nullopt, ErrorCode::store_unreachable,
      "install the one of this build of Sartor, and the hiredis that it names");
  if (!library)
    return std::unexpected(library.error());
  const auto connect = static_cast<const RedisLibrary *>(*library)->connect;
  if (server.password_file.empty())
    return connect(server, nullptr, limits);
  const auto password = read_password(server.password_file);
  if (!password)
    return std::unexpected(password.error());
  const std::string_view bytes = password->bytes();
  return connect(server, &bytes, limits);
}

} // namespace sartor::core

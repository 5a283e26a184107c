// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/redis_tls.h"

namespace sartor::core {

Result<std::unique_ptr<RedisTls>> connect_tls(int socket, const RedisIdentity &server,
                                              RedisTls::Deadline until) {
  const auto shown = base::load_own_library(
      "libsartor-tls.so.0", kRedisTlsSymbol, std::nullopt, ErrorCode::store_unreachable,
      "install the one of this build of Sartor beside libsartor.so");
  if (!shown)
    return std::unexpected(shown.error());
  return static_cast<const RedisTlsLibrary *>(*shown)->connect(socket, server, until);
}

} // namespace sartor::core

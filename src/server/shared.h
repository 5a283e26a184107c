// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_SHARED_H
#define SARTOR_SERVER_SHARED_H

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "keys/keys.h"
#include "server/answers.h"
#include "server/asio.h"
#include "server/clients.h"
#include "server/frames.h"
#include "server/metrics.h"
#include "server/modules.h"
#include "server/pool.h"
#include "server/server_options.h"

namespace sartor::server {

/// What all conversations share. On the loop's thread.
struct Shared {
  Shared(ServerOptions how, const keys::SecretKey &secret, std::unique_ptr<store::DiskCache> disk,
         std::unique_ptr<store::SharedCache> elsewhere)
      : options(std::move(how)), key(secret),
        answers(options.cache_memory, std::move(disk), std::move(elsewhere)),
        modules(options.memory), pool(options.workers, options.compiler, options.compile_timeout),
        budget(options.memory) {}

  const ServerOptions options;
  const keys::SecretKey key;
  Clients clients;
  Metrics metrics;
  Answers answers;
  Modules modules;
  Pool pool;
  Budget budget;
  std::map<std::string, std::string> welcomes; ///< By greeting.
  /// Questions that are being answered: who has the same waits for that.
  std::map<Answers::Key, std::shared_ptr<asio::steady_timer>> under_way;
  std::map<std::string, std::size_t> connections; ///< By client.
  std::size_t all_connections = 0;
  bool stopping = false;
};

} // namespace sartor::server

#endif

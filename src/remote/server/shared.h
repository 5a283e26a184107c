// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_SHARED_H
#define SARTOR_REMOTE_SERVER_SHARED_H

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/keys.h"
#include "remote/server/answers.h"
#include "remote/server/asio.h"
#include "remote/server/clients/account.h"
#include "remote/server/clients/clients.h"
#include "remote/server/clients/fair_lru.h"
#include "remote/server/clients/newcomers.h"
#include "remote/server/compilers/pool.h"
#include "remote/server/connections.h"
#include "remote/server/heavy.h"
#include "remote/server/log.h"
#include "remote/server/metrics.h"
#include "remote/server/modules.h"
#include "remote/server/process.h"
#include "remote/server/reports.h"
#include "remote/server/server_options.h"

namespace sartor::server {

/// The state that all conversations share. Used on the loop's thread.
struct Shared {
  Shared(ServerOptions how, std::shared_ptr<Log> to, Groups groups,
         std::unique_ptr<core::DiskCache> disk, std::unique_ptr<core::SharedCache> elsewhere)
      : options(std::move(how)), log(std::move(to)),
        ledger(limits_for(options.memory, resident_bytes(), options.largest_request,
                          options.memory_of_client),
               std::move(groups)),
        newcomers(ledger.unknown(), options.unknown_connections),
        answers({options.cache_memory, options.memory / kStored}, std::move(disk),
                std::move(elsewhere)),
        reports(options.quarantine_after),
        pool({options.workers, options.compiler, options.allow_weak_confinement,
              options.compile_timeout}) {
    ledger.reclaim_by([this](const Account *account) { return modules.drop_one(account); });
    ledger.reclaim_by([this](const Account *account) { return answers.drop_one(account); });
  }

  const ServerOptions options;
  const std::shared_ptr<Log> log;
  /// The server's keys, at least one; the first is preferred. A connection keeps those that it
  /// began with.
  std::shared_ptr<const std::vector<base::SecretKey>> keys;
  Ledger ledger; ///< Outlives everything that is charged.
  Newcomers newcomers;
  Heavy heavy;
  Clients clients;
  Connections open;
  Metrics metrics;
  FairLru<std::string> welcomes; ///< Answers to greetings.
  Answers answers;
  Modules modules;
  Reports reports;
  Pool pool;
  /// Questions that are being answered: clients with the same question wait for that answer.
  std::map<Answers::Key, std::shared_ptr<asio::steady_timer>> under_way;
  std::size_t all_connections = 0; ///< The number of admitted connections.
  const std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  bool stopping = false;
  /// The time when a compiler could not be started, if the last attempt failed.
  std::optional<std::chrono::steady_clock::time_point> no_compiler_at;
  std::vector<std::string> addresses; ///< The addresses on which the server listens, with the ports
                                      ///< that the system has chosen.
  std::function<void()> drain;        ///< Ends the server once all requests are answered.

private:
  /// The reciprocal of the share of memory up to which an answer is stored on disk: reading and
  /// writing it there makes copies.
  static constexpr std::size_t kStored = 64;
};

} // namespace sartor::server

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_SHARED_CACHE_H
#define SARTOR_CORE_CACHE_SHARED_CACHE_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/mutex.h"
#include "base/result.h"
#include "core/cache/redis.h"
#include "core/cache/signing_key.h"
#include "core/cache/stored_image.h"

#include <sys/types.h>

namespace sartor::core {

struct SharedCacheOptions {
  std::string address;                    ///< As parse_redis_address() takes it.
  std::filesystem::path key_file;         ///< As SigningKey::read() takes it.
  std::filesystem::path password_file;    ///< As read_password() reads it. Empty: no password.
  std::filesystem::path ca_file;          ///< As RedisIdentity has it; for rediss:// alone.
  std::uint64_t limit = 0;                ///< Bytes of all entries.
  bool read_only = false;                 ///< Puts nothing there, not even when something was used.
  std::chrono::milliseconds timeout{500}; ///< Of a command.
  std::chrono::milliseconds first_retry{1000}; ///< A lost store is left alone for so long at first,
  std::chrono::milliseconds last_retry{30'000}; ///< and for so long at most.
};

/// Object code in a Redis server that the replicas of a program share: an entry for each piece, by
/// its key, least recently used ones dropped (by the server, in one step with what puts a new one
/// there). It is never in the way: a store that cannot be reached is told of once and done without,
/// and tried again now and then.
///
/// What is loaded is run, and whoever can write to the store could have put it there: nothing is
/// loaded without a tag that was made by the key that the replicas share. Thread-safe; waits for
/// the server, so not for use where calls are served.
class SharedCache {
public:
  /// Takes an event (shared_cache_unusable, shared_cache_lost, shared_cache_back,
  /// shared_cache_refused) and what happened, on any thread.
  using Report = std::function<void(std::string_view event, const Failure &failure)>;

  /// Null, and a report, where the address cannot be parsed or the key or the password cannot be
  /// read. The server need not be reachable.
  static std::unique_ptr<SharedCache> open(SharedCacheOptions options, Report report);

  /// The image that has been put there under that key, by somebody who has our key.
  std::optional<std::string> find(const base::ContentKey &key);
  void insert(const base::ContentKey &key, const StoredInfo &info, std::string_view image);
  /// Removes what is stored under a key. False if there is nothing, or the store cannot be reached.
  bool erase(const base::ContentKey &key);
  /// Removes all entries. Returns how many.
  std::uint64_t erase_all();

private:
  using Clock = std::chrono::steady_clock;

  SharedCache(SharedCacheOptions options, RedisServer server, SigningKey key, Report report)
      : options_(std::move(options)), server_(std::move(server)), key_(std::move(key)),
        report_(std::move(report)) {}

  [[nodiscard]] bool is_new_reason(const std::string &why);
  std::optional<std::string> ask(std::span<const std::string_view> words);

  const SharedCacheOptions options_;
  const RedisServer server_;
  const SigningKey key_;
  const Report report_;
  base::Mutex mutex_; ///< Guards what follows.
  pid_t process_ = 0; ///< Which `link_` was made in.
  std::unique_ptr<RedisLink> link_;
  bool lost_ = false;
  std::set<std::string> told_refused_; ///< Why entries were refused: each is told once.
  Clock::time_point retry_at_{};
  std::chrono::milliseconds retry_after_{};
};

/// What is in a server's shared cache.
struct SharedCacheUse {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

/// Uses the address and the files of the options. Fails with store_unreachable, file_error.
Result<SharedCacheUse> shared_cache_use(const SharedCacheOptions &options);

} // namespace sartor::core

#endif

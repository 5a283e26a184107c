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
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/cache/redis.h"
#include "core/cache/signing_key.h"
#include "core/cache/stored_image.h"

#include <sys/types.h>

namespace sartor::core {

struct SharedCacheOptions {
  std::string address;                         ///< See parse_redis_address().
  std::filesystem::path key_file;              ///< See SigningKey::read().
  std::filesystem::path password_file;         ///< See read_password(). Empty: no password.
  std::filesystem::path ca_file;               ///< See RedisIdentity; for rediss:// only.
  std::uint64_t limit = 0;                     ///< Total size of all entries in bytes.
  bool read_only = false;                      ///< Stores nothing, not even the time of use.
  std::chrono::milliseconds timeout{500};      ///< Timeout of a command.
  std::chrono::milliseconds first_retry{1000}; ///< Delay before the first retry after a lost store.
  std::chrono::milliseconds last_retry{30'000}; ///< Maximum delay before a retry.
};

/// Object code in a Redis server that the replicas of a program share: an entry for each piece, by
/// its key; the least recently used are deleted (by the server, atomically with the insertion of a
/// new one). It never blocks the program's work: an unreachable store is reported once, not used,
/// and retried periodically.
///
/// Loaded code is run, and any user who can write to the store could have stored it: an entry is
/// loaded only with a tag that was made with the key that the replicas share. Thread-safe; waits
/// for the server, so it must not be used where calls are served.
class SharedCache {
public:
  /// Receives an event (shared_cache_unusable, shared_cache_lost, shared_cache_back,
  /// shared_cache_refused) and its details, on any thread.
  using Report = std::function<void(std::string_view event, const Failure &failure)>;

  /// Returns null, and reports, if the address cannot be parsed or the key or the password cannot
  /// be read. The server need not be reachable.
  static std::unique_ptr<SharedCache> open(SharedCacheOptions options, Report report);

  /// The image that a process with our key has stored under that key.
  std::optional<std::string> find(const base::ContentKey &key);
  /// The images with this StoredInfo::tier, which processes with our key have stored. Does not
  /// count as a use. Entries above 128 KiB are not searched. Nothing if the store cannot be
  /// searched.
  std::optional<std::vector<std::string>> images_of(std::string_view tier);
  void insert(const base::ContentKey &key, const StoredInfo &info, std::string_view image);
  /// Removes the image stored under a key. False if there is none, or the store cannot be reached.
  bool erase(const base::ContentKey &key);
  /// Removes all entries. Returns their number.
  std::uint64_t erase_all();

private:
  using Clock = std::chrono::steady_clock;

  SharedCache(SharedCacheOptions options, RedisServer server, SigningKey key, Report report)
      : options_(std::move(options)), server_(std::move(server)), key_(std::move(key)),
        report_(std::move(report)) {}

  [[nodiscard]] bool is_new_reason(const std::string &why);
  /// The names of entries with a text; some may be there twice.
  std::optional<std::vector<std::string>> search(std::string_view text);
  /// The content of an entry's bytes, if it was stored with our key under that name. The views
  /// point into `bytes`.
  std::optional<StoredImage> authenticate(const std::string &name, std::string_view bytes);
  std::optional<std::string> ask(std::span<const std::string_view> words);

  const SharedCacheOptions options_;
  const RedisServer server_;
  const SigningKey key_;
  const Report report_;
  base::Mutex mutex_; ///< Guards the members below.
  pid_t process_ = 0; ///< The process that made `link_`.
  std::unique_ptr<RedisLink> link_;
  bool lost_ = false;
  std::set<std::string> reported_refused_; ///< Reasons for refused entries: each is reported once.
  Clock::time_point retry_at_{};
  std::chrono::milliseconds retry_after_{};
};

/// Usage of a server's shared cache.
struct SharedCacheUse {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

/// Uses the address and the files of the options. Fails with store_unreachable, file_error.
Result<SharedCacheUse> shared_cache_use(const SharedCacheOptions &options);

} // namespace sartor::core

#endif

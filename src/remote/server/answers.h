// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_ANSWERS_H
#define SARTOR_REMOTE_SERVER_ANSWERS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/thread/mutex.h"
#include "core/cache/disk_cache.h"
#include "core/cache/shared_cache.h"
#include "remote/protocol/admin_message.h"
#include "remote/protocol/message.h"
#include "remote/server/asio.h"
#include "remote/server/clients/account.h"
#include "remote/server/clients/fair_lru.h"

namespace sartor::server {

/// An answer, which is signed when it is sent, and the calls that it depends on.
struct Answer {
  struct Call {
    remote::Kind kind; ///< call or page.
    std::string order;
    std::string result; ///< The answer to it.
  };
  std::vector<Call> calls;
  remote::Kind kind = remote::Kind::done;
  std::string body;
};

/// The sizes of an answer and of a call, not counting their bytes.
constexpr std::size_t kEntryBytes = 512;
constexpr std::size_t kCallBytes = 128;

/// Returns its size in memory.
std::size_t size_of(const Answer &answer);

std::string pack(const Answer &answer);
/// Returns nullopt if the bytes are not an answer.
std::optional<Answer> unpack_answer(std::string_view bytes);

/// The place where an answer was found.
enum class Origin : unsigned char { memory, disk, shared };

/// Answers that have been given, by key: in memory, on disk, and in a store of several servers.
/// Memory is charged to the client that asked first. Used on the loop's thread, which does not wait
/// for disks.
class Answers {
public:
  using Key = base::ContentKey;
  struct Found {
    std::shared_ptr<const Answer> answer;
    Origin origin;
  };
  struct Sizes {
    std::size_t all; ///< The maximum for all answers in memory, in bytes.
    /// The maximum for an answer that goes to disk or to the shared store, in bytes.
    std::size_t stored;
  };

  /// `disk` and `shared` may be null.
  Answers(Sizes most, std::unique_ptr<core::DiskCache> disk,
          std::unique_ptr<core::SharedCache> shared)
      : most_(most), disk_(std::move(disk)), shared_(std::move(shared)) {}

  asio::awaitable<std::optional<Found>> find(Key key, Account &account);
  /// `lasts`: the answer is valid for other processes than the requesting one.
  void insert(const Key &key, Account &account, std::shared_ptr<const Answer> answer,
              const core::StoredInfo &info, bool lasts);
  [[nodiscard]] std::size_t bytes() const { return kept_.bytes(); }
  /// The number of answers dropped from memory to make room.
  [[nodiscard]] std::uint64_t dropped() const { return kept_.dropped(); }
  /// See FairLru.
  bool drop_one(const Account *account) { return kept_.drop_one(account); }
  /// The answers to remove: those that `client` asked for first, the one with that key or, if both
  /// are empty, all.
  struct Choice {
    std::string client;
    std::optional<Key> key;

    [[nodiscard]] bool is_all() const { return client.empty() && !key; }
  };
  /// Removes answers from memory, disk and the shared store. Answers of a client that only the
  /// shared store has stay there. An answer that is being read or stored meanwhile does not come
  /// back.
  asio::awaitable<remote::Purged> purge(Choice choice);
  /// Waits until pending answers are on the disk.
  void join() { threads_.join(); }

private:
  void keep(const Key &key, const Account &account, std::shared_ptr<const Answer> answer);
  /// Each returns the keys of the removed answers. `stored` are keys that are removed from memory
  /// as well.
  std::set<Key> remove_from_memory(const Choice &choice, const std::set<Key> &stored);
  std::set<Key> remove_from_disk(const Choice &choice);
  std::uint64_t remove_from_shared(const Choice &choice, const std::set<Key> &keys);

  const Sizes most_;
  FairLru<Answer> kept_;
  std::unique_ptr<core::DiskCache> disk_;
  std::unique_ptr<core::SharedCache> shared_;
  /// Incremented when a purge begins and when it ends.
  std::atomic<std::uint64_t> purges_ = 0;
  unsigned purging_ = 0; ///< The number of purges under way.
  base::Mutex storing_;  ///< Held to write to the disk and to the shared store.
  asio::thread_pool threads_{2};
};

} // namespace sartor::server

#endif

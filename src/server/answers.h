// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_ANSWERS_H
#define SARTOR_SERVER_ANSWERS_H

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "remote/message.h"
#include "server/asio.h"
#include "store/disk_cache.h"
#include "store/hash.h"
#include "store/shared_cache.h"

namespace sartor::server {

/// A signed answer, and the calls that it hangs on.
struct Answer {
  struct Call {
    remote::Kind kind; ///< call or page.
    std::string order;
    std::string result; ///< What answered it.
  };
  std::vector<Call> calls;
  remote::Kind kind = remote::Kind::done;
  std::string body;
};

std::string pack(const Answer &answer);
/// Nothing where it is none.
std::shared_ptr<const Answer> unpack_answer(std::string_view bytes);

/// Where an answer was.
enum class Origin : unsigned char { memory, disk, shared };

/// Answers that have been given, by the state of the transcript with the question
/// (remote/transcript.h): in memory, on the disk, and where other servers find them. Least recently
/// used ones go. On the loop's thread, which does not wait for disks.
class Answers {
public:
  using Key = store::ContentKey;
  struct Found {
    std::shared_ptr<const Answer> answer;
    Origin origin;
  };

  /// `disk` and `shared` may be null.
  Answers(std::size_t most_bytes, std::unique_ptr<store::DiskCache> disk,
          std::unique_ptr<store::SharedCache> shared)
      : most_bytes_(most_bytes), disk_(std::move(disk)), shared_(std::move(shared)) {}

  asio::awaitable<std::optional<Found>> find(Key key);
  /// `lasts`: it means something to other processes than the one that has asked.
  void insert(const Key &key, std::shared_ptr<const Answer> answer, const store::StoredInfo &info,
              bool lasts);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// What is on its way to the disk is there afterwards.
  void join() { threads_.join(); }

private:
  struct Entry {
    Key key;
    std::shared_ptr<const Answer> answer;
    std::size_t bytes;
  };
  struct Hash {
    std::size_t operator()(const Key &key) const;
  };

  void keep(const Key &key, std::shared_ptr<const Answer> answer);

  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::list<Entry> entries_; ///< The latest used first.
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> by_key_;
  std::unique_ptr<store::DiskCache> disk_;
  std::unique_ptr<store::SharedCache> shared_;
  asio::thread_pool threads_{2};
};

} // namespace sartor::server

#endif

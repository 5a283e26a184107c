// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_CONTROL_EVENT_RING_H
#define SARTOR_BASE_CONTROL_EVENT_RING_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread/mutex.h"

namespace sartor::base {

/// The latest events of a process, as lines of JSON, numbered from 0. The oldest of a kind are
/// dropped when there are more than kMostOfKind, so that frequent kinds do not displace rare ones.
/// Thread-safe; no other lock is taken under its lock.
class EventRing {
public:
  static constexpr std::size_t kMostOfKind = 512;
  /// Of one line; longer ones are not kept.
  static constexpr std::size_t kMostBytes = 64U << 10;

  struct Page {
    std::vector<std::string> lines;
    std::uint64_t next = 0;    ///< The number of the first line after these.
    std::uint64_t dropped = 0; ///< Lines before `next` that were asked for and are not kept.
  };

  void append(std::string_view kind, std::string line) SARTOR_EXCLUDES(mutex_);
  /// The lines from number `from` on, at most `most` of them.
  [[nodiscard]] Page lines(std::uint64_t from, std::size_t most) const SARTOR_EXCLUDES(mutex_);

private:
  struct Kept {
    std::uint64_t number;
    std::string line;
  };

  mutable Mutex mutex_;
  std::map<std::string, std::deque<Kept>, std::less<>> kinds_ SARTOR_GUARDED_BY(mutex_);
  std::uint64_t next_ SARTOR_GUARDED_BY(mutex_) = 0;
};

} // namespace sartor::base

#endif

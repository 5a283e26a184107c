// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_STORE_H
#define SARTOR_CORE_PROFILE_STORE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "core/profile/block.h"
#include "core/profile/layout.h"
#include "core/profile/sketch.h"

namespace sartor::core {

/// What the instrumented points of one runtime have seen: a block for each thread that came by,
/// made when it first did, and left to another thread when it ends, with all that was counted.
/// Thread-safe: nothing that counts, be it in a signal handler, waits for anybody; readers do not
/// wait for who counts. Outlives the code that is instrumented for it.
class Store {
public:
  /// At most this many at a time in a process.
  static constexpr unsigned kMostStores = base::PerThread<Block>::kMost;

  /// Fails with compile_failed when there are too many.
  static Result<std::shared_ptr<Store>> create(Layout layout);
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  [[nodiscard]] const Layout &layout() const { return counters_.layout; }
  /// Its number among the stores of the process: the index of its blocks in the threads' tables.
  [[nodiscard]] unsigned slot() const { return counters_.slot; }
  /// What code that counts here is made of. Lives as long as this.
  [[nodiscard]] const Counters &counters() const { return counters_; }

  /// What all threads have seen at a place by now; each sketch is read as Sketch::read() does.
  /// Sorted by input.
  [[nodiscard]] Seen seen(std::size_t place) const;
  /// Forgets it. Calls that are in the middle of counting are forgotten or not.
  void clear();

private:
  friend void record(std::uint64_t id, const std::uint64_t *words) noexcept;
  Store(Layout layout, std::unique_ptr<base::PerThread<Block>> blocks)
      : counters_{std::move(layout), blocks->slot(), base::PerThread<Block>::table_offset()},
        blocks_(std::move(blocks)) {}
  /// The calling thread's block, which it does not have yet; null without memory.
  Block *acquire();

  const Counters counters_;
  const std::unique_ptr<base::PerThread<Block>> blocks_;
  std::atomic<std::uint64_t> blocks_made_ = 0;
};

/// The calling thread's table of blocks, indexed by Store::slot(); never null.
void *const *table();

/// What instrumented code calls where it does not count by itself. `id` is record_id()'s, `words`
/// those of the record. A sampled point calls it when its gap has been counted down. Counts nothing
/// without memory for a block, or in a signal handler that has interrupted it.
void record(std::uint64_t id, const std::uint64_t *words) noexcept;
/// The name of record() in instrumented code.
constexpr const char *kRecord = "sartor.profile.record";

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_PROFILE_STORE_H
#define SARTOR_CORE_PROFILE_STORE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/profile/block.h"
#include "core/profile/layout.h"
#include "core/profile/sketch.h"

namespace sartor::core {

/// The counts of one runtime's instrumented points: a block for each thread that counts, created at
/// its first use, and passed to another thread, with all counts, when it ends. Thread-safe:
/// counting code, also in a signal handler, never waits; readers do not wait for counting threads.
/// Outlives the code that is instrumented for it.
class Store {
public:
  /// Maximum number of stores in a process.
  static constexpr unsigned kMostStores = base::PerThread<Block>::kMost;

  /// Fails with compile_failed if there are too many.
  static Result<std::shared_ptr<Store>> create(Layout layout);
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  [[nodiscard]] const Layout &layout() const { return counters_.layout; }
  /// Its index among the stores of the process: the index of its blocks in the threads' tables.
  [[nodiscard]] unsigned slot() const { return counters_.slot; }
  /// The values compiled into code that counts here. Valid as long as this.
  [[nodiscard]] const Counters &counters() const { return counters_; }

  /// The counts of all threads at a point so far; each sketch is read as by Sketch::read(). Sorted
  /// by input.
  [[nodiscard]] Seen seen(std::size_t place) const;
  /// Discards all counts. Calls that are counting may or may not be discarded.
  void clear();

private:
  friend void record(std::uint64_t id, const std::uint64_t *words) noexcept;
  Store(Layout layout, std::unique_ptr<base::PerThread<Block>> blocks)
      : counters_{std::move(layout), blocks->slot(), base::PerThread<Block>::table_offset()},
        blocks_(std::move(blocks)) {}
  /// Assigns the calling thread a block, which it does not have yet; null if memory is exhausted.
  Block *acquire();

  const Counters counters_;
  const std::unique_ptr<base::PerThread<Block>> blocks_;
  std::atomic<std::uint64_t> blocks_made_ = 0;
};

/// The calling thread's table of blocks, indexed by Store::slot(); never null.
void *const *table();

/// Called by instrumented code if it does not count by itself. `id` is a value of record_id(),
/// `words` those of the record. A sampled point calls it when its gap has been counted down. Does
/// nothing if there is no memory for a block, or in a signal handler that has interrupted it.
void record(std::uint64_t id, const std::uint64_t *words) noexcept;
/// The name of record() in instrumented code.
constexpr const char *kRecord = "sartor.profile.record";

} // namespace sartor::core

#endif

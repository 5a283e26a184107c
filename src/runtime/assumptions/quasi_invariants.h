// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANTS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANTS_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/life.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "runtime/assumptions/part_index.h"
#include "runtime/assumptions/quasi_invariant_state.h"

namespace sartor::runtime {

/// All quasi-invariants of the process, by their memory, and the thread that makes them valid
/// again. Thread-safe.
class QuasiInvariants final : base::Resident {
public:
  static QuasiInvariants &instance();

  void add(const std::shared_ptr<QuasiInvariantState> &quasi_invariant);
  /// Adds a part, and records which quasi-invariants it overlaps with.
  void add_part(const QuasiInvariantState &quasi_invariant, core::Extent part);
  /// Removes it; waits until the thread has finished with it, unless called on that thread.
  void remove(const QuasiInvariantState &quasi_invariant) SARTOR_EXCLUDES(base::any_mutex);

  /// False only if no quasi-invariant overlaps with this memory. Takes no lock; the guarantee
  /// extends to the threads that PartIndex::may_concern() names.
  [[nodiscard]] SARTOR_NO_THREAD_SAFETY_ANALYSIS bool may_be_about(core::Extent memory) const {
    return parts_.may_concern(memory);
  }
  /// Returns the quasi-invariants whose memory overlaps with this memory.
  std::vector<std::shared_ptr<QuasiInvariantState>> about(core::Extent memory);
  /// Returns a quasi-invariant and those that it overlaps with.
  std::vector<std::shared_ptr<QuasiInvariantState>>
  with_overlapping(const QuasiInvariantState &quasi_invariant);
  std::vector<std::shared_ptr<QuasiInvariantState>> all();
  /// Schedules an attempt to make a quasi-invariant valid; replaces the time that was set before.
  void try_later(const QuasiInvariantState &quasi_invariant,
                 QuasiInvariantState::Clock::time_point due);
  /// Called after an invalidation: dependents may want to make code without the quasi-invariant as
  /// soon as possible.
  void look_again();
  /// Starts the thread if attempts are due that none makes, as it could not be started.
  void ensure_started();

private:
  struct Known {
    std::shared_ptr<QuasiInvariantState> quasi_invariant;
    std::vector<std::pair<std::uint64_t, core::Extent>> parts;
    std::optional<QuasiInvariantState::Clock::time_point> due;
  };

  QuasiInvariants();
  void start() SARTOR_REQUIRES(mutex_);
  void run();
  void
  try_all(std::vector<std::shared_ptr<QuasiInvariantState>> quasi_invariants) SARTOR_RUNS_PROGRAM;
  void look_at_dependents() SARTOR_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<QuasiInvariantState>> take_due() SARTOR_REQUIRES(mutex_);
  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override;
  bool has_ended() override;

  base::Mutex mutex_;
  base::CondVar changed_;
  std::map<const QuasiInvariantState *, Known> quasi_invariants_ SARTOR_GUARDED_BY(mutex_);
  std::set<std::pair<QuasiInvariantState::Clock::time_point, const QuasiInvariantState *>>
      due_ SARTOR_GUARDED_BY(mutex_);
  PartIndex parts_ SARTOR_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, std::shared_ptr<QuasiInvariantState>>
      by_part_ SARTOR_GUARDED_BY(mutex_);
  std::uint64_t last_part_ SARTOR_GUARDED_BY(mutex_) = 0;
  /// An attempt runs, without the lock, on `runner_`.
  bool trying_ SARTOR_GUARDED_BY(mutex_) = false;
  /// The number of rounds of attempts that have ended.
  std::uint64_t rounds_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::thread::id runner_ SARTOR_GUARDED_BY(mutex_);
  bool look_ SARTOR_GUARDED_BY(mutex_) = false;
  /// The earliest time of the next check.
  QuasiInvariantState::Clock::time_point next_look_ SARTOR_GUARDED_BY(mutex_){};
  bool running_ SARTOR_GUARDED_BY(mutex_) = false;
  bool exiting_ SARTOR_GUARDED_BY(mutex_) = false;
  /// The failure to start a thread has been reported.
  bool reported_ SARTOR_GUARDED_BY(mutex_) = false;
};

/// Returns the name of the quasi-invariant that has this number now; empty if none has.
std::string name_of_quasi_invariant(std::uint64_t number);

} // namespace sartor::runtime

#endif

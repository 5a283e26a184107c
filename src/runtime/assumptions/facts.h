// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FACTS_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FACTS_H

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
#include "base/mutex.h"
#include "base/thread.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/part_index.h"

namespace sartor::runtime {

/// All facts of the process, by what they are about, and the thread that has them hold again.
/// Thread-safe.
class Facts final : base::Resident {
public:
  static Facts &instance();

  void add(const std::shared_ptr<Fact> &fact);
  /// Notes with which facts it overlaps.
  void add_part(const Fact &fact, core::Extent part);
  /// Waits until the thread has done with it, unless it is this one.
  void remove(const Fact &fact) SARTOR_EXCLUDES(base::any_mutex);

  /// False if there are none, for sure: told without a lock, to whom PartIndex::may_concern() is.
  [[nodiscard]] SARTOR_NO_THREAD_SAFETY_ANALYSIS bool may_be_about(core::Extent memory) const {
    return parts_.may_concern(memory);
  }
  /// Facts about memory that overlaps with some.
  std::vector<std::shared_ptr<Fact>> about(core::Extent memory);
  /// A fact, and those that it overlaps with.
  std::vector<std::shared_ptr<Fact>> with_overlapping(const Fact &fact);
  std::vector<std::shared_ptr<Fact>> all();
  /// Tries to have a fact hold at some time; an earlier time that was told is forgotten.
  void try_later(const Fact &fact, Fact::Clock::time_point due);
  /// Something has broken: dependents may want to make code without it, as soon as can be.
  void look_again();

private:
  struct Known {
    std::shared_ptr<Fact> fact;
    std::vector<std::pair<std::uint64_t, core::Extent>> parts;
    std::optional<Fact::Clock::time_point> due;
  };

  Facts();
  void start() SARTOR_REQUIRES(mutex_);
  void run();
  void try_all(std::vector<std::shared_ptr<Fact>> facts) SARTOR_RUNS_PROGRAM;
  void look_at_dependents() SARTOR_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<Fact>> take_due() SARTOR_REQUIRES(mutex_);
  void after_fork_in_child() override;
  void resume_in_child() override;
  void exit_begins() override;
  bool has_ended() override;

  base::Mutex mutex_;
  base::CondVar changed_;
  std::map<const Fact *, Known> facts_ SARTOR_GUARDED_BY(mutex_);
  std::set<std::pair<Fact::Clock::time_point, const Fact *>> due_ SARTOR_GUARDED_BY(mutex_);
  PartIndex parts_ SARTOR_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, std::shared_ptr<Fact>> by_part_ SARTOR_GUARDED_BY(mutex_);
  std::uint64_t last_part_ SARTOR_GUARDED_BY(mutex_) = 0;
  bool trying_ SARTOR_GUARDED_BY(mutex_) = false;      ///< Without the lock, on `runner_`.
  std::uint64_t rounds_ SARTOR_GUARDED_BY(mutex_) = 0; ///< Of trying, that have ended.
  std::thread::id runner_ SARTOR_GUARDED_BY(mutex_);
  bool look_ SARTOR_GUARDED_BY(mutex_) = false;
  Fact::Clock::time_point next_look_ SARTOR_GUARDED_BY(mutex_){}; ///< Not before.
  bool running_ SARTOR_GUARDED_BY(mutex_) = false;
  bool exiting_ SARTOR_GUARDED_BY(mutex_) = false;
  bool told_ SARTOR_GUARDED_BY(mutex_) = false; ///< That there is no thread.
};

/// The name of the fact that has this number now; empty if none has.
std::string name_of_fact(std::uint64_t number);

} // namespace sartor::runtime

#endif

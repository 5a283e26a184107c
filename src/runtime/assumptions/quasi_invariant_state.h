// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANT_STATE_H
#define SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANT_STATE_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sartor/quasi_invariant.hpp>

#include "base/result.h"
#include "base/settle.h"
#include "base/thread/mutex.h"
#include "runtime/assumptions/pages/pages.h"
#include "runtime/assumptions/permission.h"
#include "runtime/assumptions/quasi_invariant_record.h"
#include "runtime/assumptions/registry.h"
#include "runtime/assumptions/watches.h"
#include "runtime/dispatch/holding.h"

namespace sartor::runtime {

/// An invalidation in progress.
struct Invalidation {
  Registry::Suspended invalidated;
  bool would_hold = false;                 ///< It was valid, or set aside.
  std::vector<std::uint64_t> numbers = {}; ///< Numbers whose code calls may still run.
  std::chrono::steady_clock::time_point begin;
};

/// An invalidation on behalf of a thread that has stopped at a protected page.
struct PageInvalidation {
  Permission permission = Permission::unasked;
  bool is_to_wait = false; ///< Calls must be waited for before the page is opened.
  Invalidation invalidating = {};
};

/// The calls that have been waited for.
enum class Waited : unsigned char { for_all, for_running, not_at_all };

struct PageWrite {
  std::uintptr_t address = 0; ///< 0 if it is not known.
  bool late = false;          ///< The thread was let go before the invalidation.
};

/// The state of a QuasiInvariant: an invariant that is suspended while a thread writes, and for
/// some time afterwards. It is idle at first. When it is armed, writers ask; it becomes valid if no
/// thread has written until all writers ask; a writer makes it idle again. Thread-safe.
class QuasiInvariantState {
public:
  using Clock = std::chrono::steady_clock;

  QuasiInvariantState(std::string name, QuasiInvariantOptions options);
  QuasiInvariantState(const QuasiInvariantState &) = delete;
  QuasiInvariantState &operator=(const QuasiInvariantState &) = delete;
  ~QuasiInvariantState();

  /// Adds a part, which invalidates the quasi-invariant for a moment. `inside`: the thread is in a
  /// call of a handler, where calls are not waited for. Fails with bad_invariant.
  Result<void> add(const WatchedPart &part, bool inside) SARTOR_EXCLUDES(base::any_mutex);
  /// Ends it: no code depends on it from then on. `inside` as for add().
  void close(bool inside) SARTOR_EXCLUDES(base::any_mutex);

  /// Called before a store to an address, or, with null, to an unknown one. Unless the result is
  /// Permission::none, end_write() must follow. `inside`: the thread is in a call of a handler,
  /// where calls are not waited for. No lock is held while the program is asked. Throws if the
  /// calling thread is being cancelled.
  Permission begin_write(void *address, std::size_t size, bool inside) SARTOR_RUNS_PROGRAM {
    return begin_unasked() ? Permission::unasked : ask_to_write(address, size, inside);
  }
  /// The two halves of begin_write(). The first takes no lock and returns false if the program has
  /// to be asked.
  bool begin_unasked();
  Permission ask_to_write(void *address, std::size_t size, bool inside) SARTOR_RUNS_PROGRAM;
  void end_write(Permission permission);
  void try_if_waited_for();
  /// True if other quasi-invariants include some of its memory.
  [[nodiscard]] bool overlaps() const { return overlaps_.load(std::memory_order_relaxed); }
  /// Records that the program has guards placed by hand.
  void note_used_by_hand() {
    if (!used_by_hand_.load(std::memory_order_relaxed))
      used_by_hand_.store(true, std::memory_order_relaxed);
  }
  void note_overlap() { overlaps_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] std::vector<WatchedPart> parts() const;

  /// True if its options ask for protected pages.
  [[nodiscard]] bool protects_pages() const { return options_.protect_pages; }
  /// Replace begin_write() for a thread that may not wait for calls. When the calls have been
  /// waited for, the second function opens the pages. end_write() follows.
  PageInvalidation begin_page_invalidation();
  void finish_page_invalidation(const PageInvalidation &how, Waited waited, const PageWrite &write);

  /// Called by the thread that activates all quasi-invariants. begin_trying() arms it, so that
  /// writers ask; it returns false if it is not time yet. Then all threads settle, and
  /// finish_trying() makes it valid unless a thread has written; it returns the time of the next
  /// attempt.
  bool begin_trying();
  std::optional<Clock::time_point> finish_trying(base::Settled settled) SARTOR_RUNS_PROGRAM;
  /// Called by the same thread while it is valid: checks for writes that did not ask. Returns the
  /// time of the next check, if any.
  std::optional<Clock::time_point> check();
  /// Deactivates the code that depends on it, as a writer would, and waits; writers go on asking,
  /// and are answered as if it were valid. Returns false if it is not valid anyway. Must not be
  /// called within a handler.
  bool set_aside() SARTOR_EXCLUDES(base::any_mutex);
  /// Makes it valid again after that; returns false if a thread has written meanwhile, or its
  /// memory is no longer readable.
  bool bring_back();
  [[nodiscard]] bool is_set_aside() const;
  /// Keeps it invalid for this long. Otherwise as set_aside().
  void leave_alone(std::chrono::nanoseconds how_long) SARTOR_EXCLUDES(base::any_mutex);
  /// Checks once. Any thread may call it that is not within a handler.
  void check_now() { (void)compare(Clock::now()); }
  /// Called in a child process, where only the forking thread exists; count_open() counts its open
  /// guards.
  void after_fork_in_child();
  void count_open() { ++writers_; }

  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] bool valid() const;
  bool wait_until_valid(std::chrono::nanoseconds at_most);
  [[nodiscard]] QuasiInvariantFigures figures() const;
  [[nodiscard]] QuasiInvariantRecord record() const;
  void begin_record();
  /// The current number of the invariant.
  [[nodiscard]] std::uint64_t number() const;
  [[nodiscard]] bool is_closed() const;

private:
  enum class Asked : unsigned char { neither, refused, reinforced };

  Asked ask(void *address, std::size_t size) SARTOR_RUNS_PROGRAM;
  class Answering;
  class Leaving;
  void try_again(Permission permission, bool is_waited_for);
  void invalidate_now(bool at_once, Clock::time_point begin) SARTOR_EXCLUDES(base::any_mutex);
  Invalidation begin_invalidation(Clock::time_point begin);
  /// Called if calls were not waited for.
  void leave_behind(const Invalidation &invalidating);
  void end_invalidation(const Invalidation &invalidating, bool at_once);
  void set_armed(bool armed) SARTOR_REQUIRES(mutex_);
  void take_number(std::uint64_t number) SARTOR_REQUIRES(mutex_);
  [[nodiscard]] bool answers() const SARTOR_REQUIRES(mutex_);
  void note_invalidation(Clock::time_point begin, bool held) SARTOR_REQUIRES(mutex_);
  void report(const char *event) const SARTOR_REQUIRES(mutex_);
  Result<void> claim_pages(const WatchedPart &part);
  void protect_pages() SARTOR_REQUIRES(mutex_);
  void open_pages() SARTOR_REQUIRES(mutex_);
  std::optional<Clock::time_point> compare(Clock::time_point now);
  [[nodiscard]] std::optional<Clock::time_point> next_check(Clock::time_point now) const;
  Clock::time_point later(Clock::time_point now) SARTOR_REQUIRES(mutex_);
  [[nodiscard]] bool is_true_now() const SARTOR_RUNS_PROGRAM;
  [[nodiscard]] bool is_guarded() const SARTOR_REQUIRES(mutex_);

  const std::string name_;
  const QuasiInvariantOptions options_;
  std::atomic<bool> armed_ = false; ///< Writers have to ask.
  /// The number of writers between begin_write() and end_write().
  std::atomic<unsigned> writers_ = 0;
  /// An attempt to make it valid follows when the last of these writers ends.
  std::atomic<bool> waits_for_writers_ = false;
  std::atomic<bool> overlaps_ = false;
  std::atomic<bool> used_by_hand_ = false;

  base::Mutex &mutex_; ///< Shared with others, so that fork() has few locks to take.
  base::CondVar changed_;
  const std::shared_ptr<HeldCallers> held_callers_ = std::make_shared<HeldCallers>();
  std::vector<WatchedPart> parts_ SARTOR_GUARDED_BY(mutex_);
  /// The number of the invariant; 0 before a part was added.
  std::uint64_t number_ SARTOR_GUARDED_BY(mutex_) = 0;
  /// Numbers that it had, whose code calls may still run.
  std::vector<std::uint64_t> left_ SARTOR_GUARDED_BY(mutex_);
  bool disturbed_ SARTOR_GUARDED_BY(mutex_) = false; ///< A thread has written since it was armed.
  /// A thread has written while others may have read.
  bool anew_ SARTOR_GUARDED_BY(mutex_) = false;
  /// The writer that invalidated it has waited for all calls, and is about to store.
  bool disarm_ SARTOR_GUARDED_BY(mutex_) = false;
  bool closed_ SARTOR_GUARDED_BY(mutex_) = false;
  /// It would be valid, but its benefit is being estimated.
  bool set_aside_ SARTOR_GUARDED_BY(mutex_) = false;
  Clock::time_point alone_until_ SARTOR_GUARDED_BY(mutex_){};
  PageEntries pages_ SARTOR_GUARDED_BY(mutex_);
  bool protected_ SARTOR_GUARDED_BY(mutex_) = false; ///< `pages_` are protected.
  /// `pages_` should be protected, but cannot be.
  bool unprotected_ SARTOR_GUARDED_BY(mutex_) = false;
  Clock::time_point held_since_ SARTOR_GUARDED_BY(mutex_){};
  /// `made` and `making` are the values at the beginning, to be subtracted.
  QuasiInvariantRecord record_ SARTOR_GUARDED_BY(mutex_);
  std::chrono::nanoseconds back_off_ SARTOR_GUARDED_BY(mutex_);
  QuasiInvariantFigures figures_ SARTOR_GUARDED_BY(mutex_);

  /// The thread on which the program is asked, as a number that fork() does not change; 0 if none.
  std::atomic<std::uintptr_t> answering_ = 0;
};

} // namespace sartor::runtime

#endif

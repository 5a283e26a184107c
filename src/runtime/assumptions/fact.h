// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FACT_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FACT_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sartor/quasi_invariant.hpp>

#include "base/mutex.h"
#include "base/result.h"
#include "base/settle.h"
#include "runtime/assumptions/fact_record.h"
#include "runtime/assumptions/pages.h"
#include "runtime/assumptions/permission.h"
#include "runtime/assumptions/registry.h"
#include "runtime/assumptions/watches.h"
#include "runtime/dispatch/holding.h"

namespace sartor::runtime {

/// A break that is under way.
struct Breaking {
  Registry::Suspended broken;
  bool would_hold = false;                 ///< It held, or was set aside.
  std::vector<std::uint64_t> numbers = {}; ///< In whose code calls may still be.
  std::chrono::steady_clock::time_point begin;
};

/// The same, on behalf of who has stopped at a protected page.
struct PageBreak {
  Permission permission = Permission::unasked;
  bool is_to_wait = false; ///< For calls, before the page is opened.
  Breaking breaking = {};
};

/// For which calls has been waited.
enum class Waited : unsigned char { for_all, for_running, not_at_all };

struct PageWrite {
  std::uintptr_t address = 0; ///< 0 if it is not known.
  bool late = false;          ///< It was let go before anything had broken.
};

/// What is behind a QuasiInvariant: a promise that is suspended while somebody writes, and for some
/// time afterwards. From idle it becomes armed (writers ask), and, where nobody has written until
/// all of them do, it holds; a writer makes it idle again. Thread-safe.
class Fact {
public:
  using Clock = std::chrono::steady_clock;

  Fact(std::string name, QuasiInvariantOptions options);
  Fact(const Fact &) = delete;
  Fact &operator=(const Fact &) = delete;
  ~Fact();

  /// Breaks it, for a moment. `inside`: within a handler, where nobody waits for calls. Fails with
  /// bad_invariant.
  Result<void> add(const WatchedPart &part, bool inside) SARTOR_EXCLUDES(base::any_mutex);
  /// Nothing leans on it from then on. `inside`: the same.
  void close(bool inside) SARTOR_EXCLUDES(base::any_mutex);

  /// By who is about to store: at an address, or, with null, somewhere. Unless nothing is to be
  /// stored, end_write() must follow. `inside`: within a handler, where nobody waits for calls.
  /// No lock is held while the program is asked. Throws what has the calling thread end.
  Permission begin_write(void *address, std::size_t size, bool inside) SARTOR_RUNS_PROGRAM {
    return begin_unasked() ? Permission::unasked : ask_to_write(address, size, inside);
  }
  /// The two halves of that. The first takes no lock: false if the program has to be asked.
  bool begin_unasked();
  Permission ask_to_write(void *address, std::size_t size, bool inside) SARTOR_RUNS_PROGRAM;
  void end_write(Permission permission);
  void try_if_waited_for();
  /// Whether other facts are about some of its memory, too.
  [[nodiscard]] bool overlaps() const { return overlaps_.load(std::memory_order_relaxed); }
  /// The program passes guards of its own.
  void note_used_by_hand() {
    if (!used_by_hand_.load(std::memory_order_relaxed))
      used_by_hand_.store(true, std::memory_order_relaxed);
  }
  void note_overlap() { overlaps_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] std::vector<WatchedPart> parts() const;

  /// Whether it asks for that.
  [[nodiscard]] bool protects_pages() const { return options_.protect_pages; }
  /// Instead of begin_write(), by a thread that may not wait for calls; when that has been done,
  /// the second opens its pages. end_write() follows.
  PageBreak begin_page_break();
  void finish_page_break(const PageBreak &how, Waited waited, const PageWrite &write);

  /// By the thread that does so for all facts. Writers ask from now on; false if it is not the
  /// time. Then all threads settle, and it comes to hold, unless somebody has written; what is
  /// returned is when to try again.
  bool begin_trying();
  std::optional<Clock::time_point> finish_trying(base::Settled settled) SARTOR_RUNS_PROGRAM;
  /// The same thread, while it holds: whether somebody has written without asking. What is returned
  /// is when to look again, if at all.
  std::optional<Clock::time_point> check();
  /// Takes code out of force that leans on it, as a writer would, and waits; writers go on asking,
  /// and are answered as if it held. False if it does not hold anyway. Not from within a handler.
  bool set_aside() SARTOR_EXCLUDES(base::any_mutex);
  /// Has it hold again after that; false where somebody has written meanwhile, or nobody can read
  /// its memory any more.
  bool bring_back();
  [[nodiscard]] bool is_set_aside() const;
  /// It does not come to hold for so long. As set_aside().
  void leave_alone(std::chrono::nanoseconds how_long) SARTOR_EXCLUDES(base::any_mutex);
  /// Once, by any thread that is within no handler.
  void check_now() { (void)compare(Clock::now()); }
  /// Only the thread that has forked is here; its open guards are counted by count_open().
  void after_fork_in_child();
  void count_open() { ++writers_; }

  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] bool holds() const;
  bool wait_until_holds(std::chrono::nanoseconds at_most);
  [[nodiscard]] QuasiInvariantFigures figures() const;
  [[nodiscard]] FactRecord record() const;
  void begin_record();
  /// Of the promise, at present.
  [[nodiscard]] std::uint64_t number() const;
  [[nodiscard]] bool is_closed() const;

private:
  enum class Asked : unsigned char { nobody, refused, reinforced };

  Asked ask(void *address, std::size_t size) SARTOR_RUNS_PROGRAM;
  class Answering;
  class Leaving;
  void try_again(Permission permission, bool is_waited_for);
  void break_now(bool at_once, Clock::time_point begin) SARTOR_EXCLUDES(base::any_mutex);
  Breaking begin_breaking(Clock::time_point begin);
  /// Nobody has waited for calls.
  void leave_behind(const Breaking &breaking);
  void end_breaking(const Breaking &breaking, bool at_once);
  void set_armed(bool armed) SARTOR_REQUIRES(mutex_);
  void take_number(std::uint64_t number) SARTOR_REQUIRES(mutex_);
  [[nodiscard]] bool answers() const SARTOR_REQUIRES(mutex_);
  void note_break(Clock::time_point begin, bool held) SARTOR_REQUIRES(mutex_);
  void tell(const char *event) const SARTOR_REQUIRES(mutex_);
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
  std::atomic<bool> armed_ = false;   ///< Writers have to ask.
  std::atomic<unsigned> writers_ = 0; ///< Between begin_write() and end_write().
  /// It is to be tried when the last of these ends, whichever that is.
  std::atomic<bool> waits_for_writers_ = false;
  std::atomic<bool> overlaps_ = false;
  std::atomic<bool> used_by_hand_ = false;

  base::Mutex &mutex_; ///< Shared with others, so that fork() has few locks to take.
  base::CondVar changed_;
  const std::shared_ptr<HeldCallers> held_callers_ = std::make_shared<HeldCallers>();
  std::vector<WatchedPart> parts_ SARTOR_GUARDED_BY(mutex_);
  /// Of the promise; 0 before anything was added.
  std::uint64_t number_ SARTOR_GUARDED_BY(mutex_) = 0;
  /// Numbers that it had, in whose code calls may still be.
  std::vector<std::uint64_t> left_ SARTOR_GUARDED_BY(mutex_);
  bool disturbed_ SARTOR_GUARDED_BY(mutex_) = false; ///< Written to since it was armed.
  bool anew_ SARTOR_GUARDED_BY(mutex_) = false;      ///< Written to while others may have read.
  /// The writer that broke it has waited for all, and is about to store.
  bool disarm_ SARTOR_GUARDED_BY(mutex_) = false;
  bool closed_ SARTOR_GUARDED_BY(mutex_) = false;
  bool set_aside_ SARTOR_GUARDED_BY(mutex_) = false; ///< It would hold, but for being weighed.
  Clock::time_point alone_until_ SARTOR_GUARDED_BY(mutex_){};
  PageEntries pages_ SARTOR_GUARDED_BY(mutex_);
  bool protected_ SARTOR_GUARDED_BY(mutex_) = false;   ///< They are.
  bool unprotected_ SARTOR_GUARDED_BY(mutex_) = false; ///< They should be, and cannot be.
  Clock::time_point held_since_ SARTOR_GUARDED_BY(mutex_){};
  FactRecord record_ SARTOR_GUARDED_BY(mutex_); ///< What was made is what to leave out of it.
  std::chrono::nanoseconds back_off_ SARTOR_GUARDED_BY(mutex_);
  QuasiInvariantFigures figures_ SARTOR_GUARDED_BY(mutex_);

  /// Which thread the program is asked on, by a number that fork() leaves as it is; 0 if on none.
  std::atomic<std::uintptr_t> answering_ = 0;
};

} // namespace sartor::runtime

#endif

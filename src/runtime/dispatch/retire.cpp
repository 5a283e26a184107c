// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/retire.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "base/life.h"
#include "base/readers.h"
#include "base/reports.h"
#include "base/thread/blocking.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"

namespace sartor::runtime {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A call that takes longer is reported as an event.
constexpr auto kStalled = 5s;
constexpr auto kLongestSleep = 5ms;
/// The interval at which blocked threads are checked.
constexpr auto kLookAtBlocked = 50ms;

// Most calls are short: at first it checks again without sleeping. `reader` returns the thread that
// is waited for.
template <class Reader> bool wait_until_over(Reader reader_now, Clock::time_point end) {
  const auto begin = Clock::now();
  bool reported = false;
  for (std::chrono::microseconds sleep = 0us;;
       sleep = std::min<std::chrono::microseconds>(sleep * 2 + 10us, kLongestSleep)) {
    const pid_t reader = reader_now();
    if (reader == 0)
      return true;
    const auto now = Clock::now();
    if (now >= end)
      return false;
    if (!reported && now - begin > kStalled) {
      reported = true;
      base::report("stalled", {{"thread", std::to_string(reader)},
                               {"message", "has been in a call of a handler for long: retired code "
                                           "cannot be freed, nor invariants revoked"}});
    }
    if (sleep == 0us)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(sleep, end - now));
  }
}

/// The retired references, and the thread that drops them.
class Retired final : base::Resident {
public:
  static Retired &instance() {
    // Never destroyed: code may be retired until the process has ended.
    static auto *retired = new Retired;
    return *retired;
  }

  void add(std::shared_ptr<const void> object, std::uint64_t stamp) {
    const base::MutexLock lock(mutex_);
    waiting_.push_back({std::move(object), stamp, ++last_});
    left_.insert(last_);
    if (!running_ && !base::is_exiting())
      start();
    changed_.notify_all();
  }

  std::size_t waiting() {
    const base::MutexLock lock(mutex_);
    return left_.size();
  }

  bool wait(std::chrono::nanoseconds at_most) {
    const auto end = Clock::now() + at_most;
    const base::MutexLock lock(mutex_);
    const std::uint64_t until = last_;
    while (!all_dropped(until))
      if (!changed_.wait_until(mutex_, end))
        return all_dropped(until);
    return true;
  }

private:
  struct Waiting {
    std::shared_ptr<const void> object;
    std::uint64_t stamp;
    std::uint64_t number;
  };
  /// References that a blocked thread may use.
  struct Pinned {
    base::GracePeriod period;
    std::uint64_t stamp;
    std::uint64_t number;
  };

  Retired() { base::add(*this); }

  [[nodiscard]] bool all_dropped(std::uint64_t until) const SARTOR_REQUIRES(mutex_) {
    return left_.empty() || *left_.begin() > until;
  }

  // If no thread can be started now, the next reference tries again.
  void start() SARTOR_REQUIRES(mutex_) {
    auto thread = base::Thread::start("sartor-retire", [this] { run(); });
    if (thread) {
      running_ = true;
      thread->detach();
    } else if (!std::exchange(reported_, true)) {
      base::report("no_thread", thread.error());
    }
  }

  void run() {
    base::MutexLock lock(mutex_);
    for (;;) {
      const auto look = Clock::now() + kLookAtBlocked;
      while (waiting_.empty())
        if (pinned_.empty())
          changed_.wait(mutex_);
        else if (!changed_.wait_until(mutex_, look))
          break;
      const std::uint64_t until = last_;
      lock.unlock();
      const base::GracePeriod period;
      wait_until_over([&] { return period.reader_that_runs(); }, Clock::time_point::max());
      lock.lock();
      drop_until(until, period);
      drop_unpinned();
      if (base::is_exiting()) { // other threads may still run it
        changed_.notify_all();
        for (;;)
          changed_.wait(mutex_);
      }
    }
  }

  void drop_until(std::uint64_t until, const base::GracePeriod &period) SARTOR_REQUIRES(mutex_) {
    while (!waiting_.empty() && waiting_.front().number <= until && !base::is_exiting()) {
      Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      if (!period.blocked_may_use(next.stamp)) {
        drop(std::move(next.object), next.number);
        continue;
      }
      const auto [known, is_new] =
          pinned_.try_emplace(next.object, Pinned{period, next.stamp, next.number});
      if (is_new)
        continue;
      known->second.period = period;
      drop(std::move(next.object), next.number); // not the last reference
    }
  }

  void drop_unpinned() SARTOR_REQUIRES(mutex_) {
    for (auto pinned = pinned_.begin(); pinned != pinned_.end() && !base::is_exiting();) {
      const Pinned &how = pinned->second;
      if (how.period.blocked_may_use(how.stamp) || how.period.reader_that_runs() != 0) {
        ++pinned;
        continue;
      }
      auto node = pinned_.extract(pinned++);
      drop(std::move(node.key()), node.mapped().number);
    }
  }

  // Releases the lock meanwhile: it may be the last reference.
  void drop(std::shared_ptr<const void> object, std::uint64_t number) SARTOR_REQUIRES(mutex_) {
    dropping_ = number;
    {
      const base::MutexUnlock unlocked(mutex_);
      destroy(object);
    }
    left_.erase(std::exchange(dropping_, 0));
    changed_.notify_all();
  }

  static void destroy(std::shared_ptr<const void> &object) SARTOR_RUNS_PROGRAM { object.reset(); }

  void after_fork_in_child() override {
    changed_.forget_waiters();
    const base::MutexLock lock(mutex_);
    running_ = false;
    left_.erase(std::exchange(dropping_, 0)); // the rest of it is leaked
  }
  void resume_in_child() override {
    const base::MutexLock lock(mutex_);
    if (!left_.empty() && !running_)
      start();
  }
  bool has_ended() override {
    const base::MutexLock lock(mutex_);
    return dropping_ == 0;
  }

  base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<Waiting> waiting_ SARTOR_GUARDED_BY(mutex_);
  std::map<std::shared_ptr<const void>, Pinned, std::owner_less<>>
      pinned_ SARTOR_GUARDED_BY(mutex_);
  /// The numbers of references that have not been dropped.
  std::set<std::uint64_t> left_ SARTOR_GUARDED_BY(mutex_);
  std::uint64_t last_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t dropping_ SARTOR_GUARDED_BY(mutex_) = 0;
  bool running_ SARTOR_GUARDED_BY(mutex_) = false;
  /// The failure to start a thread has been reported.
  bool reported_ SARTOR_GUARDED_BY(mutex_) = false;
};

} // namespace

void begin_retiring() { (void)Retired::instance(); }

void retire(std::shared_ptr<const void> object, std::uint64_t stamp) {
  if (object)
    Retired::instance().add(std::move(object), stamp);
}

std::size_t retired_now() { return Retired::instance().waiting(); }

bool wait_for_retired(std::chrono::nanoseconds at_most) {
  return Retired::instance().wait(at_most);
}

bool wait_for_readers(std::chrono::nanoseconds at_most) {
  const base::GracePeriod period;
  return wait_until_over([&] { return period.reader(); }, Clock::now() + at_most);
}

bool wait_for_running_readers() {
  const base::GracePeriod period;
  base::note_invalidation();
  wait_until_over([&] { return period.reader_that_runs(); }, Clock::time_point::max());
  return period.reader() == 0;
}

} // namespace sartor::runtime

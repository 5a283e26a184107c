// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/retire.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "engine/blocking.h"
#include "engine/life.h"
#include "engine/mutex.h"
#include "engine/readers.h"
#include "engine/reports.h"
#include "engine/thread.h"

namespace sartor::dispatch {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A call that takes longer is worth an event.
constexpr auto kStalled = 5s;
constexpr auto kLongestSleep = 5ms;

// Calls are short as a rule: at first looks again at once. `reader` tells who is waited for.
template <class Reader> bool wait_until_over(Reader reader_now, Clock::time_point end) {
  const auto begin = Clock::now();
  bool told = false;
  for (std::chrono::microseconds sleep = 0us;;
       sleep = std::min<std::chrono::microseconds>(sleep * 2 + 10us, kLongestSleep)) {
    const pid_t reader = reader_now();
    if (reader == 0)
      return true;
    const auto now = Clock::now();
    if (now >= end)
      return false;
    if (!told && now - begin > kStalled) {
      told = true;
      engine::report("stalled",
                     {{"thread", std::to_string(reader)},
                      {"message", "is in a call of a handler for long: what is out of "
                                  "force cannot be given back, nor promises taken back"}});
    }
    if (sleep == 0us)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(sleep, end - now));
  }
}

/// What is retired, and the thread that drops it.
class Retired final : engine::Resident {
public:
  static Retired &instance() {
    static auto *retired = new Retired; // code may be retired until the process has ended
    return *retired;
  }

  void add(std::shared_ptr<const void> object) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(object));
    ++added_;
    if (!running_ && !engine::is_exiting())
      start();
    changed_.notify_all();
  }

  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return added_ - dropped_;
  }

  bool wait(std::chrono::nanoseconds at_most) {
    std::unique_lock lock(mutex_.native());
    return changed_.wait_for(lock, at_most, [this, until = added_] { return dropped_ >= until; });
  }

private:
  Retired() { engine::add(*this); }

  // Where no thread can be had now, one is asked for again with the next reference.
  void start() {
    auto thread = engine::Thread::start("sartor-retire", [this] { run(); });
    if (thread) {
      running_ = true;
      thread->detach();
    } else if (!std::exchange(told_, true)) {
      engine::report("no_thread", {{"message", thread.error().text()}});
    }
  }

  void run() {
    std::unique_lock lock(mutex_.native());
    for (;;) {
      changed_.wait(lock, [&] { return !waiting_.empty(); });
      const std::uint64_t until = added_;
      lock.unlock();
      const engine::GracePeriod period;
      wait_until_over([&] { return period.reader(); }, Clock::time_point::max());
      lock.lock();
      while (dropped_ < until && !engine::is_exiting()) {
        auto object = std::move(waiting_.front());
        waiting_.pop_front();
        dropping_ = true;
        lock.unlock();
        object.reset();
        lock.lock();
        dropping_ = false;
        ++dropped_;
        changed_.notify_all();
      }
      if (engine::is_exiting()) { // others may still run it
        changed_.notify_all();
        changed_.wait(lock, [] { return false; });
      }
    }
  }

  void after_fork_in_child() override {
    new (&changed_) std::condition_variable; // of nobody's who waits
    running_ = false;
    if (std::exchange(dropping_, false))
      ++dropped_; // what remains of it remains
  }
  void resume_in_child() override {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty() && !running_)
      start();
  }
  bool has_ended() override {
    const std::lock_guard lock(mutex_);
    return !dropping_;
  }

  engine::Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<const void>> waiting_;
  std::uint64_t added_ = 0;
  std::uint64_t dropped_ = 0;
  bool running_ = false;
  bool told_ = false; ///< That there is no thread.
  bool dropping_ = false;
};

} // namespace

void begin_retiring() { (void)Retired::instance(); }

void retire(std::shared_ptr<const void> object) {
  if (object)
    Retired::instance().add(std::move(object));
}

std::size_t retired_now() { return Retired::instance().waiting(); }

bool wait_for_retired(std::chrono::nanoseconds at_most) {
  return Retired::instance().wait(at_most);
}

bool wait_for_readers(std::chrono::nanoseconds at_most) {
  const engine::GracePeriod period;
  return wait_until_over([&] { return period.reader(); }, Clock::now() + at_most);
}

bool wait_for_running_readers() {
  const engine::GracePeriod period;
  engine::note_break();
  wait_until_over([&] { return period.reader_that_runs(); }, Clock::time_point::max());
  return period.reader() == 0;
}

} // namespace sartor::dispatch

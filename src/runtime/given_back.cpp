// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/given_back.h"

#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "base/life.h"
#include "base/mutex.h"
#include "base/settle.h"
#include "base/thread.h"
#include "runtime/dispatch/retire.h"

namespace sartor {

namespace {

/// How soon an exit is noticed where a thread gets no processor.
constexpr std::chrono::milliseconds kLook{100};

/// What no handler is running any more, and the thread that drops it, which comes with the first
/// and goes with the last. To settle takes milliseconds, so all that has come meanwhile is done at
/// once.
class GivenBack final : base::Resident {
public:
  static GivenBack &instance() {
    static auto *given_back = new GivenBack; // until the process has ended
    return *given_back;
  }

  void add(std::shared_ptr<const void> object) {
    const base::MutexLock lock(mutex_);
    waiting_.push_back(std::move(object));
    start();
  }

private:
  GivenBack() { base::add(*this); }

  // Where no thread can be had now, one is asked for again with the next.
  void start() SARTOR_REQUIRES(mutex_) {
    if (running_ || waiting_.empty() || base::is_exiting())
      return;
    if (auto thread = base::Thread::start("sartor-programs", [this] { run(); })) {
      running_ = true;
      thread->detach();
    }
  }

  void run() {
    base::MutexLock lock(mutex_);
    while (!waiting_.empty() && !base::is_exiting()) {
      std::vector<std::shared_ptr<const void>> dropped;
      dropped.swap(waiting_);
      lock.unlock();
      const bool is_over = settle();
      lock.lock();
      dropping_ = is_over && !base::is_exiting();
      if (dropping_) {
        lock.unlock();
        destroy(dropped);
        lock.lock();
        dropping_ = false;
      } else { // others may still run it
        std::ranges::move(dropped, std::back_inserter(waiting_));
      }
    }
    running_ = false;
  }

  static void destroy(std::vector<std::shared_ptr<const void>> &dropped) SARTOR_RUNS_PROGRAM {
    dropped.clear();
  }

  static bool settle() {
    while (base::settle(kLook) != base::Settled::yes)
      if (base::is_exiting())
        return false;
    return true;
  }

  void after_fork_in_child() override {
    const base::MutexLock lock(mutex_);
    running_ = dropping_ = false; // what it was at remains
  }
  void resume_in_child() override {
    const base::MutexLock lock(mutex_);
    start();
  }
  bool has_ended() override {
    const base::MutexLock lock(mutex_);
    return !dropping_;
  }

  base::Mutex mutex_;
  std::vector<std::shared_ptr<const void>> waiting_ SARTOR_GUARDED_BY(mutex_);
  bool running_ SARTOR_GUARDED_BY(mutex_) = false;
  bool dropping_ SARTOR_GUARDED_BY(mutex_) = false;
};

} // namespace

void begin_giving_back() {
  runtime::begin_retiring();
  (void)GivenBack::instance();
}

void give_back(std::shared_ptr<const void> object) {
  auto *const held = new std::shared_ptr<const void>(std::move(object));
  runtime::retire(std::shared_ptr<const void>(held, [held](const void *) {
    GivenBack::instance().add(std::move(*held));
    delete held;
  }));
}

} // namespace sartor

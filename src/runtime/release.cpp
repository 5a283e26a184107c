// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/release.h"

#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "base/life.h"
#include "base/settle.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "runtime/dispatch/retire.h"

namespace sartor {

namespace {

/// The interval at which an exit is noticed while threads do not settle.
constexpr std::chrono::milliseconds kLook{100};

/// Released objects, and the thread that drops them once no handler uses them. The thread starts
/// with the first object and ends with the last. Settling takes milliseconds, so all objects
/// released meanwhile are dropped together.
class Released final : base::Resident {
public:
  static Released &instance() {
    static auto *released = new Released; // never destroyed: used until the process has ended
    return *released;
  }

  void add(std::shared_ptr<const void> object) {
    const base::MutexLock lock(mutex_);
    waiting_.push_back(std::move(object));
    start();
  }

private:
  Released() { base::add(*this); }

  // If no thread can be started now, the next object tries again.
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
      } else { // other threads may still run it
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
    running_ = dropping_ = false; // the object that was being dropped is leaked
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

void begin_releasing() {
  runtime::begin_retiring();
  (void)Released::instance();
}

void release(std::shared_ptr<const void> object) {
  auto *const held = new std::shared_ptr<const void>(std::move(object));
  runtime::retire(std::shared_ptr<const void>(held, [held](const void *) {
    Released::instance().add(std::move(*held));
    delete held;
  }));
}

} // namespace sartor

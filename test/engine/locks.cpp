// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Violations that clang's thread-safety analysis must find. Compiled only for the errors.
#include <functional>

#include "base/thread/mutex.h"

namespace sartor::base {

void wait_for_program() SARTOR_RUNS_PROGRAM;

class Counter {
public:
  int read() {
    return value_; // expected-error {{reading variable 'value_' requires holding mutex 'mutex_'}}
  }
  void write_after_unlock() {
    MutexLock lock(mutex_);
    value_ = 1;
    lock.unlock();
    value_ = 2; // expected-error {{writing variable 'value_' requires holding mutex 'mutex_'}}
  }
  void call_without_lock() {
    add(1); // expected-error {{calling function 'add' requires holding mutex 'mutex_'}} \
               expected-error {{calling function 'add' requires holding mutex 'any_mutex'}}
  }
  void lock_twice() {
    const MutexLock lock(mutex_);
    mutex_.lock(); // expected-error {{acquiring mutex 'mutex_' that is already held}}
    mutex_.unlock();
  }
  void forget_to_unlock() {
    mutex_.lock();
  } // expected-error {{mutex 'mutex_' is still}} expected-error {{mutex 'any_mutex' is still}}

  void run_program_with_lock() {
    const MutexLock lock(mutex_);
    base::run_program(callback_); // expected-error {{cannot call function}}
  }
  void run_program_with_another_lock() {
    const MutexLock lock(other_);
    wait_for_program(); // expected-error {{cannot call function 'wait_for_program'}}
  }
  void run_program_where_lock_is_required() SARTOR_REQUIRES(mutex_) {
    wait_for_program(); // expected-error {{cannot call function 'wait_for_program'}}
  }
  void run_program_after_inner_lock() {
    const MutexLock lock(mutex_);
    {
      const MutexLock inner(other_);
    }
    wait_for_program(); // expected-error {{cannot call function 'wait_for_program'}}
  }

  void unlock_for_program() SARTOR_REQUIRES(mutex_) {
    {
      const MutexUnlock unlocked(mutex_);
      wait_for_program();
      value_ = 1; // expected-error {{writing variable 'value_' requires holding mutex 'mutex_'}}
    }
    value_ = 2;
  }

  void run_program() {
    MutexLock lock(mutex_);
    value_ = 1;
    while (value_ != 0)
      changed_.wait(mutex_);
    lock.unlock();
    base::run_program(callback_);
    lock.lock();
    add(1);
  }

private:
  void add(int more) SARTOR_REQUIRES(mutex_) { value_ += more; }

  Mutex mutex_;
  UnwatchedMutex<std::mutex> other_;
  CondVar changed_;
  int value_ SARTOR_GUARDED_BY(mutex_) = 0;
  const std::function<void()> callback_;
};

} // namespace sartor::base

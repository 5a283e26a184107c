// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_MUTEX_H
#define SARTOR_BASE_THREAD_MUTEX_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#include <sys/types.h>

// Attributes for Clang's thread-safety analysis (-Wthread-safety); other compilers ignore them.
#if defined(__clang__) && defined(__has_attribute)
#if __has_attribute(reentrant_capability)
#define SARTOR_LOCKS(...) __attribute__((__VA_ARGS__))
#endif
#endif
#ifndef SARTOR_LOCKS
#define SARTOR_LOCKS(...)
#endif

// Adds any_mutex to the named locks that are acquired, released or required.
#define SARTOR_WITH_ANY(...) __VA_ARGS__ __VA_OPT__(, ::sartor::base::any_mutex)

/// Marks a class of locks, and one whose objects hold a lock for as long as they exist.
#define SARTOR_CAPABILITY(kind) SARTOR_LOCKS(capability(kind))
#define SARTOR_SCOPED_CAPABILITY SARTOR_LOCKS(scoped_lockable)
/// The lock that must be held to read or write a variable.
#define SARTOR_GUARDED_BY(lock) SARTOR_LOCKS(guarded_by(lock))
/// The same for the target of a pointer.
#define SARTOR_PT_GUARDED_BY(lock) SARTOR_LOCKS(pt_guarded_by(lock))
/// Callers of a function must hold these locks; callers must not hold these.
#define SARTOR_REQUIRES(...) SARTOR_LOCKS(requires_capability(SARTOR_WITH_ANY(__VA_ARGS__)))
#define SARTOR_EXCLUDES(...) SARTOR_LOCKS(locks_excluded(__VA_ARGS__))
/// Marks a function that acquires a lock, releases it, or acquires it if the result is `success`.
#define SARTOR_ACQUIRE(...) SARTOR_LOCKS(acquire_capability(SARTOR_WITH_ANY(__VA_ARGS__)))
#define SARTOR_RELEASE(...) SARTOR_LOCKS(release_capability(SARTOR_WITH_ANY(__VA_ARGS__)))
#define SARTOR_TRY_ACQUIRE(success, ...)                                                           \
  SARTOR_LOCKS(try_acquire_capability(success, SARTOR_WITH_ANY(__VA_ARGS__)))
/// The analysis assumes from this call on that the lock is held.
#define SARTOR_ASSERTS(...) SARTOR_LOCKS(assert_capability(SARTOR_WITH_ANY(__VA_ARGS__)))
/// For a function whose locking cannot be described. Each use states the reason.
#define SARTOR_NO_THREAD_SAFETY_ANALYSIS SARTOR_LOCKS(no_thread_safety_analysis)

/// Marks a function that calls code of the program: a callback, a generator, or the destructor of
/// an object of the program. Callers must hold no lock of Sartor.
#define SARTOR_RUNS_PROGRAM SARTOR_EXCLUDES(::sartor::base::any_mutex)

namespace sartor::base {

/// Used only by the analysis. A thread that holds any lock of this header also holds this one.
class SARTOR_CAPABILITY("mutex") SARTOR_LOCKS(reentrant_capability) AnyMutex {};
inline constexpr AnyMutex any_mutex;

/// Calls a function of the program.
template <class Function, class... Arguments>
decltype(auto) run_program(const Function &function, Arguments &&...arguments) SARTOR_RUNS_PROGRAM {
  return function(std::forward<Arguments>(arguments)...);
}

/// Called before fork().
void lock_all_mutexes();

/// A lock that is free in a child process, because fork() waits until it has all of them. A thread
/// that holds one must not fork.
class SARTOR_CAPABILITY("mutex") Mutex {
public:
  Mutex();
  ~Mutex();
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  // The bodies of these three are not analyzed: they implement the lock for the analysis.
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void lock() SARTOR_ACQUIRE(this) {
    if (fork_waits.load(std::memory_order_relaxed))
      make_way(); // only briefly: the thread may hold another lock that fork() waits for
    mutex_.lock();
  }
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void unlock() SARTOR_RELEASE(this) { mutex_.unlock(); }
  SARTOR_NO_THREAD_SAFETY_ANALYSIS bool try_lock() SARTOR_TRY_ACQUIRE(true, this) {
    return mutex_.try_lock();
  }
  /// For a lambda expression whose caller holds the lock without naming it. Does nothing.
  void assert_held() const SARTOR_ASSERTS(this) {}
  /// For std::condition_variable.
  [[nodiscard]] std::mutex &native() { return mutex_; }
  /// True if the thread with this number holds it. Does not block.
  [[nodiscard]] bool is_held_by(pid_t thread);

private:
  friend void lock_all_mutexes();
  static void make_way();

  static std::atomic<bool> fork_waits; ///< Lets fork() take contended locks.

  std::mutex mutex_;
};

/// An annotated mutex of the standard library. fork() does not wait for it.
template <class Native> class SARTOR_CAPABILITY("mutex") UnwatchedMutex {
public:
  // Not analyzed, like those of Mutex.
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void lock() SARTOR_ACQUIRE(this) { mutex_.lock(); }
  SARTOR_NO_THREAD_SAFETY_ANALYSIS void unlock() SARTOR_RELEASE(this) { mutex_.unlock(); }
  SARTOR_NO_THREAD_SAFETY_ANALYSIS bool try_lock() SARTOR_TRY_ACQUIRE(true, this) {
    return mutex_.try_lock();
  }
  /// For a child process, in which the owner does not exist.
  void forget_owner() { new (&mutex_) Native; }

private:
  Native mutex_;
};

/// Holds a lock for as long as it exists, except between unlock() and lock().
template <class Lock = Mutex> class SARTOR_SCOPED_CAPABILITY MutexLock {
public:
  explicit MutexLock(Lock &mutex) SARTOR_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() SARTOR_RELEASE() {
    if (holds_)
      mutex_.unlock();
  }
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  void lock() SARTOR_ACQUIRE() {
    mutex_.lock();
    holds_ = true;
  }
  void unlock() SARTOR_RELEASE() {
    holds_ = false;
    mutex_.unlock();
  }

private:
  Lock &mutex_;
  bool holds_ = true;
};

/// Releases a lock for as long as it exists.
template <class Lock = Mutex> class SARTOR_SCOPED_CAPABILITY MutexUnlock {
public:
  explicit MutexUnlock(Lock &mutex) SARTOR_RELEASE(mutex) : mutex_(mutex) { mutex_.unlock(); }
  // The analysis treats it as an acquisition, because the constructor releases.
  ~MutexUnlock() SARTOR_RELEASE() { mutex_.lock(); }
  MutexUnlock(const MutexUnlock &) = delete;
  MutexUnlock &operator=(const MutexUnlock &) = delete;

private:
  Lock &mutex_;
};

/// A condition variable for Mutex. May wake spuriously, so callers wait in a loop.
class CondVar {
public:
  void wait(Mutex &mutex) SARTOR_REQUIRES(mutex) {
    Adopted adopted(mutex);
    changed_.wait(adopted.lock);
  }
  /// False if `end` was reached.
  bool wait_until(Mutex &mutex, std::chrono::steady_clock::time_point end) SARTOR_REQUIRES(mutex) {
    Adopted adopted(mutex);
    return changed_.wait_until(adopted.lock, end) == std::cv_status::no_timeout;
  }
  void notify_all() { changed_.notify_all(); }
  /// For a child process, in which the waiting threads do not exist.
  void forget_waiters() { new (&changed_) std::condition_variable; }

private:
  /// Leaves the mutex locked by the caller, also if the thread is cancelled while it waits.
  struct Adopted {
    explicit Adopted(Mutex &mutex) : lock(mutex.native(), std::adopt_lock) {}
    ~Adopted() { (void)lock.release(); }
    Adopted(const Adopted &) = delete;
    Adopted &operator=(const Adopted &) = delete;
    std::unique_lock<std::mutex> lock;
  };

  std::condition_variable changed_;
};

/// True if a stopped thread, given by its number, holds any Mutex. True if that is unknown. Takes
/// no lock that a stopped thread may hold, and no memory.
bool holds_any_mutex(pid_t thread);

/// Called after fork(), in both processes.
void unlock_all_mutexes();

} // namespace sartor::base

#endif

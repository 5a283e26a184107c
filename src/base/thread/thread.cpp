// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread/thread.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include <cxxabi.h>
#include <unistd.h>

#include "base/float_defaults.h"
#include "base/reports.h"
#include "base/thread/large_stack.h"

namespace sartor::base {

namespace {

struct Beginning {
  const char *name;
  std::function<void()> body;
};

void *run(void *beginning) {
  const std::unique_ptr<Beginning> mine(static_cast<Beginning *>(beginning));
  pthread_setname_np(pthread_self(), mine->name);
  sartor_float_defaults(); // not inherited from the creating thread
  try {
    mine->body();
  } catch (const abi::__forced_unwind &) { // the program cancels threads of others
    throw;
  } catch (const std::exception &error) {
    report("thread_failed", {{"thread", mine->name}, {"message", error.what()}});
  } catch (...) {
    report("thread_failed", {{"thread", mine->name}, {"message", "an exception of unknown type"}});
  }
  return nullptr;
}

int create(pthread_t &thread, Beginning *beginning) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes))
    return error;
  pthread_attr_setstacksize(&attributes, kLargeStackBytes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  for (const int of_its_own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    sigdelset(&all, of_its_own);               // if blocked, they would end the process
  pthread_sigmask(SIG_SETMASK, &all, &before); // inherited by the new thread
  const int error = pthread_create(&thread, &attributes, run, beginning);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

} // namespace

Result<Thread> Thread::start(const char *name, std::function<void()> body) {
  auto beginning = std::make_unique<Beginning>(name, std::move(body));
  Thread thread;
  if (const int error = create(thread.thread_, beginning.get()))
    return std::unexpected(Failure{ErrorCode::no_thread, name,
                                   "cannot be started: " + std::generic_category().message(error),
                                   "allow the process more threads or memory (ulimit -u, -v)"});
  (void)beginning.release();
  thread.process_ = getpid();
  return thread;
}

Thread::~Thread() { join(); }

Thread::Thread(Thread &&other) noexcept
    : thread_(other.thread_), process_(std::exchange(other.process_, 0)),
      detached_(other.detached_) {}

Thread &Thread::operator=(Thread &&other) noexcept {
  if (this != &other) {
    join();
    thread_ = other.thread_;
    process_ = std::exchange(other.process_, 0);
    detached_ = other.detached_;
  }
  return *this;
}

bool Thread::is_here() const noexcept { return process_ != 0 && process_ == getpid(); }

void Thread::join() {
  if (is_here() && !detached_)
    pthread_join(thread_, nullptr);
  process_ = 0;
}

void Thread::detach() {
  if (is_here() && !std::exchange(detached_, true))
    pthread_detach(thread_);
}

std::chrono::nanoseconds Thread::time() const {
  clockid_t clock{};
  timespec used{};
  if (!is_here() || pthread_getcpuclockid(thread_, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

} // namespace sartor::base

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/signals/fault_handlers.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sartor::runtime {

namespace {

/// A signal handler that was installed before this one.
struct Before {
  struct sigaction action;
  std::atomic<bool> is_spent; ///< With SA_RESETHAND: the handler has been called.
};
constexpr std::size_t kMostInstalled = 16;
/// Crash markers leave room for protected pages, which cannot do without a handler.
constexpr std::size_t kMostForCrashes = 8;

/// One signal. The handlers that were installed before this one have the oldest first. The program
/// may have a handler that calls this one for faults that it does not recognize; these are passed
/// on to the handler that was there before. A thread that installs a handler may not allocate
/// memory, and a reader may be in a signal handler.
struct Chain {
  std::array<Before, kMostInstalled> before;
  std::atomic<std::size_t> installed;
  std::array<std::atomic<FaultHandlers::Look>, 2> looks; ///< By place.
};

constexpr std::array<int, 5> kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constinit std::array<Chain, kSignals.size()> chains{};

/// Null for another signal.
Chain *chain_of(int signal) {
  const auto *const found = std::ranges::find(kSignals, signal);
  return found == kSignals.end() ? nullptr
                                 : &chains.at(static_cast<std::size_t>(found - kSignals.begin()));
}

// True whatever the flags say.
bool is_function(const struct sigaction &handler) {
  return handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN;
}

void call(const struct sigaction &handler, int signal, siginfo_t *info, void *context) {
  const bool was_sent = info->si_code <= 0; // by another thread or process
  if (!is_function(handler)) {
    if (handler.sa_handler == SIG_IGN && was_sent)
      return;
    struct sigaction to_default = {};
    to_default.sa_handler = SIG_DFL;
    sigaction(signal, &to_default, nullptr);
    // Arrives when this handler returns: not every instruction faults again, int3 for one.
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info) != 0 && was_sent)
      raise(signal);
    return;
  }
  // Calls the handler as the kernel would; the handler may leave by siglongjmp().
  sigset_t mask = static_cast<ucontext_t *>(context)->uc_sigmask;
  for (int other = 1; other < NSIG; ++other)
    if (sigismember(&handler.sa_mask, other) == 1)
      sigaddset(&mask, other);
  if ((handler.sa_flags & SA_NODEFER) == 0)
    sigaddset(&mask, signal);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if ((handler.sa_flags & SA_SIGINFO) != 0)
    handler.sa_sigaction(signal, info, context);
  else
    handler.sa_handler(signal);
}

// A field of the signal frame records the handler that the signal was passed to last: the kernel
// leaves this field empty and does not read it, and it works if a handler does not return.
void pass_on(Chain &chain, int signal, siginfo_t *info, void *context) {
  ucontext_t *&mark = static_cast<ucontext_t *>(context)->uc_link;
  auto *last = reinterpret_cast<Before *>(mark);
  if (!last)
    last = chain.before.data() + chain.installed.load(std::memory_order_acquire);
  Before *next = last == chain.before.data() ? nullptr : last - 1;
  if (next)
    mark = reinterpret_cast<ucontext_t *>(next);
  static const struct sigaction to_default = {};
  const bool is_once = next && (next->action.sa_flags & SA_RESETHAND) != 0;
  const bool is_over = !next || (is_once && is_function(next->action) &&
                                 next->is_spent.exchange(true, std::memory_order_relaxed));
  call(is_over ? to_default : next->action, signal, info, context);
}

void handle(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  Chain &chain = *chain_of(signal);
  for (const auto &each : chain.looks) {
    const FaultHandlers::Look look = each.load(std::memory_order_acquire);
    const bool is_done = look && look(signal, info, context);
    errno = error;
    if (is_done)
      return;
  }
  pass_on(chain, signal, info, context);
}

/// The process of the thread that has the lock below; 0 if none has.
constinit std::atomic<pid_t> installer = 0;

/// Held for a few system calls. A child process takes over what a thread of its parent held; a
/// base::Mutex cannot be acquired under the lock of protected pages.
class InstallLock {
public:
  InstallLock() {
    const pid_t self = getpid();
    for (pid_t seen = 0; !installer.compare_exchange_weak(seen, self, std::memory_order_acquire);)
      if (seen == self) {
        sched_yield();
        seen = 0;
      }
  }
  ~InstallLock() { installer.store(0, std::memory_order_release); }
  InstallLock(const InstallLock &) = delete;
  InstallLock &operator=(const InstallLock &) = delete;
};

bool are_same(const struct sigaction &one, const struct sigaction &other) {
  return one.sa_flags == other.sa_flags && one.sa_sigaction == other.sa_sigaction &&
         std::ranges::equal(one.sa_mask.__val, other.sa_mask.__val);
}

} // namespace

int FaultHandlers::install(int signal, Place place, Look look) {
  Chain *const chain = chain_of(signal);
  if (!chain)
    return EINVAL;
  const InstallLock lock;
  chain->looks.at(static_cast<std::size_t>(place)).store(look, std::memory_order_release);
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle)
    return 0;
  // Programs that this one executes inherit only that a signal is ignored.
  if (place == Place::crashes && now.sa_handler == SIG_IGN)
    return 0;
  const std::size_t count = chain->installed.load(std::memory_order_relaxed);
  // The program may install the same handler again and again.
  if (count != 0 && are_same(chain->before.at(count - 1).action, now)) {
    chain->before.at(count - 1).is_spent = false;
  } else {
    if (count >= (place == Place::crashes ? kMostForCrashes : kMostInstalled))
      return EBUSY;
    chain->before.at(count).action = now;
    chain->installed.store(count + 1, std::memory_order_release);
  }
  struct sigaction ours = {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (now.sa_handler == SIG_IGN || (now.sa_flags & SA_RESTART) != 0)
    ours.sa_flags |= SA_RESTART; // if another process or thread has sent the signal
  sigfillset(&ours.sa_mask); // a write by another handler while this one runs would end the process
  return sigaction(signal, &ours, nullptr) == 0 ? 0 : errno;
}

} // namespace sartor::runtime

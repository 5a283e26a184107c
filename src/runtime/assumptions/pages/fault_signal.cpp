// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/fault_signal.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/futex.h"
#include "runtime/assumptions/pages/fault_watch.h"

namespace sartor::runtime {

namespace {

/// The signal handlers that were installed before this one, the oldest first. The program may have
/// a handler that calls this one for faults that it does not recognize; these are passed on to the
/// handler that was there before. A thread that installs a handler may not allocate memory, and a
/// reader may be in a signal handler.
struct Before {
  struct sigaction action;
  std::atomic<bool> is_spent; ///< With SA_RESETHAND: the handler has been called.
};
constexpr std::size_t kMostInstalled = 16;
std::array<Before, kMostInstalled> before;
std::atomic<std::size_t> installed = 0;

// The page and state at which this thread has last tried the write again. A signal handler may not
// allocate memory, which access to a thread-local variable of a library can do with other TLS
// models.
[[gnu::tls_model("initial-exec")]] thread_local const PageEntry *tried_entry = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t tried_state = 0;

// True whatever the flags say.
bool is_function(const struct sigaction &handler) {
  return handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN;
}

void call(const struct sigaction &handler, int signal, siginfo_t *info, void *context) {
  if (!is_function(handler)) {
    // Another thread or process has sent the signal.
    if (handler.sa_handler == SIG_IGN && info->si_code <= 0)
      return;
    struct sigaction to_default = {};
    to_default.sa_handler = SIG_DFL;
    sigaction(signal, &to_default, nullptr);
    if (info->si_code <= 0)
      raise(signal);
    return; // the instruction faults again, now with the default action
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
void pass_on(int signal, siginfo_t *info, void *context) {
  ucontext_t *&mark = static_cast<ucontext_t *>(context)->uc_link;
  auto *last = reinterpret_cast<Before *>(mark);
  if (!last)
    last = before.data() + installed.load(std::memory_order_acquire);
  Before *next = last == before.data() ? nullptr : last - 1;
  if (next)
    mark = reinterpret_cast<ucontext_t *>(next);
  static const struct sigaction to_default = {};
  const bool is_once = next && (next->action.sa_flags & SA_RESETHAND) != 0;
  const bool is_over = !next || (is_once && is_function(next->action) &&
                                 next->is_spent.exchange(true, std::memory_order_relaxed));
  call(is_over ? to_default : next->action, signal, info, context);
}

// Returns true if the fault has been handled, so that the thread tries the write again.
bool is_ours(PageEntry &entry, std::uintptr_t address) {
  const std::uint32_t state = entry.state.load(std::memory_order_acquire);
  if (!entry.is_protected() || entry.way != Way::signal) {
    // The page may have been protected this way when the thread stopped; this explanation is
    // accepted once for each state of the page.
    if (tried_entry == &entry && tried_state == state)
      return false;
    tried_entry = &entry;
    tried_state = state;
    return true;
  }
  if (!PageTable::instance().is_watched()) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return mprotect(reinterpret_cast<void *>(entry.page.load()), page, entry.rights) == 0;
  }
  FaultWatch::instance().report({address, gettid()});
  while (entry.state.load(std::memory_order_acquire) == state)
    base::wait_while(entry.state, state);
  return true;
}

void handle(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  if (info->si_code == SEGV_ACCERR) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    PageEntry *entry = PageTable::instance().find(address & ~(page - 1));
    const bool is_done = entry && is_ours(*entry, address);
    errno = error;
    if (is_done)
      return;
  }
  pass_on(signal, info, context);
}

} // namespace

int FaultSignal::install() {
  struct sigaction now = {};
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle)
    return 0;
  const std::size_t count = installed.load(std::memory_order_relaxed);
  if (count == kMostInstalled)
    return EBUSY;
  before.at(count).action = now;
  installed.store(count + 1, std::memory_order_release);
  struct sigaction ours = {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (now.sa_handler == SIG_IGN || (now.sa_flags & SA_RESTART) != 0)
    ours.sa_flags |= SA_RESTART; // if another process or thread has sent the signal
  sigfillset(&ours.sa_mask); // a write by another handler while this one runs would end the process
  return sigaction(SIGSEGV, &ours, nullptr) == 0 ? 0 : errno;
}

void FaultSignal::wake(PageEntry &entry) { base::wake_all(entry.state); }

} // namespace sartor::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/fault_signal.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/futex.h"
#include "runtime/assumptions/fault_watch.h"

namespace sartor::runtime {

namespace {

/// Handlers that were there before ours, the oldest first. Ours may be above one of the program's
/// that calls ours in turn, for what it does not know: that goes to the one before. Who installs a
/// handler may not ask for memory, and who reads this may be in a handler.
struct Before {
  struct sigaction action;
  std::atomic<bool> is_spent; ///< With SA_RESETHAND: it has been called.
};
constexpr std::size_t kMostInstalled = 16;
std::array<Before, kMostInstalled> before;
std::atomic<std::size_t> installed = 0;

// What this thread has tried again at. The handler may not ask for memory, as a thread-local object
// of a library's else might.
[[gnu::tls_model("initial-exec")]] thread_local const PageEntry *tried_entry = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t tried_state = 0;

// Whatever the flags say.
bool is_function(const struct sigaction &handler) {
  return handler.sa_handler != SIG_DFL && handler.sa_handler != SIG_IGN;
}

void call(const struct sigaction &handler, int signal, siginfo_t *info, void *context) {
  if (!is_function(handler)) {
    if (handler.sa_handler == SIG_IGN && info->si_code <= 0) // somebody has sent it
      return;
    struct sigaction to_default = {};
    to_default.sa_handler = SIG_DFL;
    sigaction(signal, &to_default, nullptr);
    if (info->si_code <= 0)
      raise(signal);
    return; // and what has done it does it again
  }
  // As if the kernel had called it, which it may leave by siglongjmp().
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

// The frame tells to whom it has been passed on: the kernel leaves nothing there, nobody looks at
// it, and no handler need return.
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

// Whether it has been dealt with: the thread tries again.
bool is_ours(PageEntry &entry, std::uintptr_t address) {
  const std::uint32_t state = entry.state.load(std::memory_order_acquire);
  if (!entry.is_protected() || entry.way != Way::signal) {
    // Perhaps it was, in this way, when the thread stopped: that is so once for each state.
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
  FaultWatch::instance().tell({address, gettid()});
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
    ours.sa_flags |= SA_RESTART; // where somebody has sent it
  sigfillset(&ours.sa_mask);     // another handler's write, within, would end the process
  return sigaction(SIGSEGV, &ours, nullptr) == 0 ? 0 : errno;
}

void FaultSignal::wake(PageEntry &entry) { base::wake_all(entry.state); }

} // namespace sartor::runtime

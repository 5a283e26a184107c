// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/pages/fault_signal.h"

#include <atomic>
#include <csignal>
#include <cstdint>

#include <sys/mman.h>
#include <unistd.h>

#include "base/thread/futex.h"
#include "runtime/assumptions/pages/fault_watch.h"
#include "runtime/signals/fault_handlers.h"

namespace sartor::runtime {

namespace {

// The page and state at which this thread has last tried the write again. A signal handler may not
// allocate memory, which access to a thread-local variable of a library can do with other TLS
// models.
[[gnu::tls_model("initial-exec")]] thread_local const PageEntry *tried_entry = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t tried_state = 0;

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

bool look(int /*signal*/, const siginfo_t *info, void * /*context*/) {
  if (info->si_code != SEGV_ACCERR)
    return false;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  PageEntry *entry = PageTable::instance().find(address & ~(page - 1));
  return entry && is_ours(*entry, address);
}

} // namespace

int FaultSignal::install() {
  return FaultHandlers::install(SIGSEGV, FaultHandlers::Place::pages, look);
}

void FaultSignal::wake(PageEntry &entry) { base::wake_all(entry.state); }

} // namespace sartor::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/check_calls.h"

#include <set>
#include <string>

#include <unistd.h>

#include "base/after_calls.h"
#include "base/mutex.h"
#include "base/reports.h"
#include "runtime/assumptions/facts.h"
#include "runtime/assumptions/hex.h"
#include "runtime/assumptions/registry.h"

namespace sartor::runtime {

namespace {

struct Told {
  base::Mutex mutex;
  std::set<std::uint64_t>
      promises SARTOR_GUARDED_BY(mutex); ///< Reported before: a wrong promise is reported once.
};

Told &told() {
  static auto *instance = new Told; // handlers return until the process has ended
  return *instance;
}

void check_promises() {
  Registry &registry = Registry::instance();
  for (const std::uint64_t promise : registry.promises_that_hold()) {
    const auto changed = registry.changed_part(promise);
    if (!changed || !*changed || !registry.holds(promise))
      continue; // what is unreadable, who makes code tells of
    {
      const base::MutexLock lock(told().mutex);
      if (!told().promises.insert(promise).second)
        continue;
    }
    base::report("promise_changed_unseen",
                 {{"promise", std::to_string(promise)},
                  {"address", as_hex((*changed)->address)},
                  {"bytes", std::to_string((*changed)->end - (*changed)->address)},
                  {"message", "has been written to while it was promised not to change: take the "
                              "promise back before, or make it a quasi-invariant"}});
  }
}

// Sections of who compiles end with locks held.
void check() {
  if (base::holds_any_mutex(gettid()))
    return;
  for (const auto &fact : Facts::instance().all())
    fact->check_now();
  check_promises();
}

} // namespace

void begin_checking_calls() {
  if (base::checks_calls())
    base::set_after_calls(check);
}

} // namespace sartor::runtime

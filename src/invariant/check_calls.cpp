// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/check_calls.h"

#include <set>
#include <string>

#include <unistd.h>

#include "engine/after_calls.h"
#include "engine/mutex.h"
#include "engine/reports.h"
#include "invariant/facts.h"
#include "invariant/hex.h"
#include "invariant/registry.h"

namespace sartor::invariant {

namespace {

struct Told {
  engine::Mutex mutex;
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
      const engine::MutexLock lock(told().mutex);
      if (!told().promises.insert(promise).second)
        continue;
    }
    engine::report("promise_changed_unseen",
                   {{"promise", std::to_string(promise)},
                    {"address", as_hex((*changed)->address)},
                    {"bytes", std::to_string((*changed)->end - (*changed)->address)},
                    {"message", "has been written to while it was promised not to change: take the "
                                "promise back before, or make it a quasi-invariant"}});
  }
}

// Sections of who compiles end with locks held.
void check() {
  if (engine::holds_any_mutex(gettid()))
    return;
  for (const auto &fact : Facts::instance().all())
    fact->check_now();
  check_promises();
}

} // namespace

void begin_checking_calls() {
  if (engine::checks_calls())
    engine::set_after_calls(check);
}

} // namespace sartor::invariant

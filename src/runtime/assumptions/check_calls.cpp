// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/check_calls.h"

#include <set>
#include <string>

#include <unistd.h>

#include "base/after_calls.h"
#include "base/reports.h"
#include "base/thread/mutex.h"
#include "runtime/assumptions/hex.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/assumptions/registry.h"

namespace sartor::runtime {

namespace {

struct Report {
  base::Mutex mutex;
  std::set<std::uint64_t>
      invariants SARTOR_GUARDED_BY(mutex); ///< Invariants already reported: each is reported once.
};

Report &reported() {
  // Never destroyed: handlers return until the process has ended.
  static auto *instance = new Report;
  return *instance;
}

void check_invariants() {
  Registry &registry = Registry::instance();
  for (const std::uint64_t invariant : registry.valid_invariants()) {
    const auto changed = registry.changed_part(invariant);
    if (!changed || !*changed || !registry.valid(invariant))
      continue; // unreadable memory is reported where code is made
    {
      const base::MutexLock lock(reported().mutex);
      if (!reported().invariants.insert(invariant).second)
        continue;
    }
    base::report("invariant_changed_unseen",
                 {{"invariant", std::to_string(invariant)},
                  {"address", as_hex((*changed)->address)},
                  {"bytes", std::to_string((*changed)->end - (*changed)->address)},
                  {"message", "was written while it was declared not to change: revoke the "
                              "invariant first, or declare a quasi-invariant"}});
  }
}

// Returns early if locks are held: read sections of compiling threads can end while the thread
// holds some.
void check() {
  if (base::holds_any_mutex(gettid()))
    return;
  for (const auto &quasi_invariant : QuasiInvariants::instance().all())
    quasi_invariant->check_now();
  check_invariants();
}

} // namespace

void begin_checking_calls() {
  if (base::checks_calls())
    base::set_after_calls(check);
}

} // namespace sartor::runtime

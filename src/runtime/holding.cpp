// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that wait for better code than the active one after a quasi-invariant was invalidated.
#include <chrono>

#include "base/text/json.h"
#include "runtime/impl.h"

namespace sartor {

bool Runtime::Impl::knows_more_than_quasi_invariants(const RuntimeEntry &entry) const {
  if (!entry.wanted)
    return false;
  core::Context without = *entry.wanted;
  without.memory = nullptr;
  return !is_native(without);
}

void Runtime::Impl::hold_callers(RuntimeEntry &entry, const runtime::Holding &holding) {
  if (!entry.hold(holding) && events)
    events->append("not_held", {{"handler", entry.handler()},
                                {"message", "calls go on in what remains: too many entries hold "
                                            "calls, or this processor has registers that cannot be "
                                            "kept"}});
}

void Runtime::Impl::let_go(RuntimeEntry &entry) {
  const runtime::HoldingTank *tank = entry.tank();
  if (!tank)
    return;
  const std::uint64_t callers = tank->held();
  const double longest = std::chrono::duration<double, std::milli>(tank->longest()).count();
  const bool in_time = tank->is_in_time();
  entry.let_go();
  if (events)
    events->append("held", {{"handler", entry.handler()},
                            {"callers", callers},
                            {"longest_milliseconds", longest},
                            {"in_time", in_time}});
}

void Runtime::Impl::let_go_if_done(RuntimeEntry &entry, const core::Context &made) {
  if (entry.tank() && reach_of(made) == made.memory)
    let_go(entry);
}

} // namespace sartor

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/reach.h"

#include <array>
#include <charconv>

#include "base/open_sections.h"
#include "base/reports.h"
#include "runtime/assumptions/registry.h"
#include "runtime/dispatch/dependency.h"
#include "runtime/dispatch/retire.h"

namespace sartor::runtime {

const Result<core::Reached> &Reach::read() {
  const base::MutexLock lock(reading_);
  if (!outcome_) {
    outcome_ = registry_.read(*this);
    is_read_.store(true, std::memory_order_release);
  }
  return *outcome_;
}

std::optional<std::uint64_t> Reach::call(std::span<const std::uint64_t> invariants,
                                         const core::NativeCall &call) {
  std::optional<std::uint64_t> result;
  while_holding(invariants, [&] {
    const base::OpenSections sections;
    const auto outcome = base::run_program(core::call_native, call);
    if (outcome) {
      result = *outcome;
      return;
    }
    sections.restore(); // ends the sections of handlers that the failed call had entered
    std::array<char, 2 + 2 * sizeof call.address> address{'0', 'x'};
    const auto written =
        std::to_chars(address.data() + 2, address.data() + address.size(), call.address, 16);
    base::report("fold_call_failed",
                 {{"function", {address.data(), written.ptr}}, {"message", outcome.error()}});
  });
  return result;
}

bool Reach::while_holding(std::span<const std::uint64_t> invariants,
                          const std::function<void()> &work) {
  const Dependency dependency({invariants.begin(), invariants.end()});
  const Reading reading;
  // Invariants that are revoked from here on are waited for; those revoked before are not valid.
  if (!registry_.are_valid(invariants))
    return false;
  work();
  return true;
}

} // namespace sartor::runtime

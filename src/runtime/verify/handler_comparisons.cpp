// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/handler_comparisons.h"

#include <utility>

#include "runtime/impl.h"
#include "runtime/verify/call_checker.h"
#include "runtime/verify/verifier.h"

namespace sartor {

namespace runtime {

std::optional<core::Comparability> CallChecker::comparability() const {
  if (auto reason = refusal(); reason && *reason != comparability_.reason)
    return core::Comparability{.how = core::Comparison::none,
                               .reason = std::move(*reason),
                               .code = refused_for_,
                               .error = error_};
  return stub_ || is_refused_ ? std::optional(comparability_) : std::nullopt;
}

} // namespace runtime

std::map<std::string, runtime::HandlerComparisons> Verifier::comparisons() const {
  auto all = before_;
  for (const RuntimeEntry *entry : entries_) {
    runtime::HandlerComparisons &of_handler = all[entry->handler()];
    of_handler.compared += entry->checker->compared();
    if (!of_handler.how)
      of_handler.how = entry->checker->comparability();
  }
  return all;
}

void Verifier::count(Statistics &statistics) const {
  for (const auto &[handler, each] : before_) {
    statistics.verified += each.compared;
    statistics.differences += each.differences;
  }
  for (const RuntimeEntry *entry : entries_)
    statistics.verified += entry->checker->compared();
}

} // namespace sartor

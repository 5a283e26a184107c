// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_NOT_COMPARED_H
#define SARTOR_RUNTIME_VERIFY_NOT_COMPARED_H

#include <cstdint>
#include <map>
#include <string>

#include "base/event_log.h"
#include "core/compiler/comparability.h"
#include "runtime/dispatch/variant.h"
#include "runtime/entries.h"

namespace sartor {

/// The events `not_compared`: calls that were to be compared, and are not. One for each handler and
/// reason, or for each variant if it is one of the variant. To be used with the runtime's lock.
class NotComparedEvents {
public:
  /// Looks at an entry with a checker. `is_traced`: a debugger prevents comparisons.
  void look_at(const RuntimeEntry &entry, bool is_traced, EventLog &events);

private:
  /// False if it was called before.
  bool is_new(const std::string &handler, core::NotCompared code);
  void look_at_variant(const RuntimeEntry &entry, const runtime::Variant &variant,
                       EventLog &events) const;

  std::map<std::string, std::uint32_t> reported_; ///< By handler: a bit for each reason.
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_SOURCE_H
#define SARTOR_TOOLS_VIEW_SOURCE_H

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sartor::view {

/// Where a live page gets its events from.
class Source {
public:
  virtual ~Source() = default;

  /// Returns the fields of a JSON object: `events` and `names` (EventLines::take()); `next`, to be
  /// given as `after` next time; `more` if there are more already; `restarted` if `events` begin
  /// anew; `lost`, the number of events that are no longer available; `status`, the state of the
  /// program.
  virtual Result<std::string> events(std::uint64_t after) = 0;
};

} // namespace sartor::view

#endif

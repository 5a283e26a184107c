// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_LOOKS_H
#define SARTOR_TUNER_EVIDENCE_LOOKS_H

#include <algorithm>
#include <cstddef>

#include "tuner/limits.h"

namespace sartor {

/// When a sequential test looks at its evidence: whenever a certain part of the samples is new.
/// Limits hold at all times, so this only saves work. A value type.
class Looks {
public:
  explicit Looks(std::size_t first) : next_(first) {}

  /// True if it is time for a look at so many samples; the next one is later.
  bool is_due(std::size_t samples) {
    if (samples < next_)
      return false;
    next_ = samples + std::max<std::size_t>(samples / limits::rounds_with_a_look, 1);
    return true;
  }

private:
  std::size_t next_;
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_NO_DEADLINE_H
#define SARTOR_CORE_COMPILER_NO_DEADLINE_H

#include "core/compiler/deadline.h"

namespace sartor::core {

/// A deadline that never ends the work.
class NoDeadline final : public Deadline {
public:
  [[nodiscard]] bool passed() const override { return false; }
};

} // namespace sartor::core

#endif

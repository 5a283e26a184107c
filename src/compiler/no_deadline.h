// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_NO_DEADLINE_H
#define SARTOR_COMPILER_NO_DEADLINE_H

#include "compiler/deadline.h"

namespace sartor::jit {

/// Of work that takes as long as it takes.
class NoDeadline final : public Deadline {
public:
  [[nodiscard]] bool passed() const override { return false; }
};

} // namespace sartor::jit

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_DEADLINE_H
#define SARTOR_CORE_COMPILER_DEADLINE_H

namespace sartor::core {

/// Whether a piece of work should come to its end. It is asked often, where no lock is held and
/// nothing is half done, and waits there while the process forks.
class Deadline {
public:
  virtual ~Deadline() = default;
  [[nodiscard]] virtual bool passed() const = 0;
};

} // namespace sartor::core

#endif

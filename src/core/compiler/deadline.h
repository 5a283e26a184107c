// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_DEADLINE_H
#define SARTOR_CORE_COMPILER_DEADLINE_H

namespace sartor::core {

/// Asks whether a piece of work should be aborted. It is called often, where no lock is held and no
/// operation is half done, and waits there while the process forks.
class Deadline {
public:
  virtual ~Deadline() = default;
  [[nodiscard]] virtual bool passed() const = 0;
};

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_DEADLINE_H
#define SARTOR_COMPILER_DEADLINE_H

namespace sartor::jit {

/// Whether a piece of work should come to its end. It is asked often, where no lock is held and
/// nothing is half done, and waits there while the process forks.
class Deadline {
public:
  virtual ~Deadline() = default;
  [[nodiscard]] virtual bool passed() const = 0;
};

} // namespace sartor::jit

#endif

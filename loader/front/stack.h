// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_STACK_H
#define SARTOR_LOADER_FRONT_STACK_H

#include <stddef.h>
#include <stdint.h>

namespace sartor::front {

/// The stack of a program that begins, as the kernel has filled it: arguments, environment and
/// auxiliary vector, which may be changed there. (System V ABI for x86-64, 3.4.1.)
class Stack {
public:
  struct Report {
    uint64_t type; ///< AT_...
    uint64_t value;
  };

  explicit Stack(uint64_t *top);

  [[nodiscard]] uint64_t *top() const { return top_; }
  [[nodiscard]] size_t argument_count() const { return top_[0]; }
  [[nodiscard]] char **arguments() const { return reinterpret_cast<char **>(top_ + 1); }
  [[nodiscard]] char **environment() const { return arguments() + argument_count() + 1; }
  /// Returns a variable's value; nullptr if it is not set.
  [[nodiscard]] const char *variable(const char *name) const;
  /// Returns a value of the auxiliary vector; 0 if the kernel has not set it.
  [[nodiscard]] uint64_t reported(uint64_t type) const;
  void report(uint64_t type, uint64_t value);
  /// Returns the auxiliary vector with its terminator.
  [[nodiscard]] const Report *all_reported() const { return reported_; }
  [[nodiscard]] size_t size_of_reported() const;
  /// Drops the first arguments; the top does not move, as the ABI requires it to be aligned.
  void drop_arguments(size_t count);
  /// Sets `NAME=value`, whose memory must stay valid. It replaces all values of NAME: readers
  /// differ in whether the first or the last one counts. If there is none, the top moves.
  void set_variable(const char *variable);

private:
  /// Returns a variable's position in the environment from `at` on, or the end.
  [[nodiscard]] static char **find(char **at, const char *variable);
  void append(char **end, const char *variable);

  uint64_t *top_;
  Report *reported_;
};

} // namespace sartor::front

#endif

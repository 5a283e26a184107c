// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_STACK_H
#define SARTOR_LOADER_FRONT_STACK_H

#include <stddef.h>
#include <stdint.h>

namespace sartor::front {

/// What the kernel has put on the stack of a program that begins: arguments, environment, and what
/// it tells (the auxiliary vector), which may be changed there. (System V ABI for x86-64, 3.4.1.)
class Stack {
public:
  struct Told {
    uint64_t type; ///< AT_...
    uint64_t value;
  };

  explicit Stack(uint64_t *top);

  [[nodiscard]] uint64_t *top() const { return top_; }
  [[nodiscard]] size_t argument_count() const { return top_[0]; }
  [[nodiscard]] char **arguments() const { return reinterpret_cast<char **>(top_ + 1); }
  [[nodiscard]] char **environment() const { return arguments() + argument_count() + 1; }
  /// nullptr if it is not set.
  [[nodiscard]] const char *variable(const char *name) const;
  /// 0 if the kernel has not told it.
  [[nodiscard]] uint64_t told(uint64_t type) const;
  void tell(uint64_t type, uint64_t value);
  /// All that the kernel has told, with the end.
  [[nodiscard]] const Told *all_told() const { return told_; }
  [[nodiscard]] size_t size_of_told() const;
  /// Forgets the first arguments; the top stays where it is, as the ABI wants it aligned.
  void drop_arguments(size_t count);
  /// Adds `NAME=value`, which must live on, unless NAME is set. The top moves.
  void add_variable(const char *variable);
  /// Likewise, and replaces what NAME was.
  void set_variable(const char *variable);

private:
  /// Where it is set, or the end.
  [[nodiscard]] char **find(const char *variable) const;
  void append(char **end, const char *variable);

  uint64_t *top_;
  Told *told_;
};

} // namespace sartor::front

#endif

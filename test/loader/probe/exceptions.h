// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_EXCEPTIONS_H
#define SARTOR_LOADER_PROBE_EXCEPTIONS_H

#include <stdexcept>
#include <string>
#include <typeinfo>

struct ProbeError : std::runtime_error {
  ProbeError(const std::string &what, int number);
  ~ProbeError() override;
  int number;
};

struct Shape {
  Shape() = default;
  Shape(const Shape &) = delete;
  Shape &operator=(const Shape &) = delete;
  virtual ~Shape();
  [[nodiscard]] virtual int corners() const = 0;
};

void throw_error(int number);
void throw_integer(int number);
/// Catches an exception, and throws another one with the first nested.
void throw_nested(int number);
const std::type_info &type_of_error();
Shape *make_square();
/// Number of local objects destroyed while exceptions were thrown through.
int unwound();
/// C code that calls `callback`.
extern "C" void through_c(void (*callback)(void *), void *data);
void through_cpp(void (*callback)(void *), void *data);

#endif

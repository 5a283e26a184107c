// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_BINDING_H
#define SARTOR_PYTHON_BINDING_H

#include "convert.h"

namespace sartor::python {

/// Result of Runtime.bind(); empty after release().
struct Binding {
  std::optional<detail::Share> share;
  std::map<unsigned, BoundArgument> arguments;
};

/// `arguments`: index of the parameter → its bound value. Throws Error, and exceptions raised by
/// Python.
Binding make_binding(Runtime &runtime, const std::string &handler, const nb::dict &arguments);

/// Runtime::tie() with a Python `Invariant`.
void tie(Runtime &runtime, const std::string &label, nb::handle invariant);

} // namespace sartor::python

#endif

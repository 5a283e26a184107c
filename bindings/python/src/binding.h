// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_BINDING_H
#define SARTOR_PYTHON_BINDING_H

#include "convert.h"

namespace sartor::python {

/// What Runtime.bind() gives: nothing once it has been released.
struct Binding {
  std::optional<detail::Share> share;
  std::map<unsigned, BoundArgument> arguments;
};

/// `arguments`: index of the parameter → what it is bound to. Throws Error and what Python raises.
Binding make_binding(Runtime &runtime, const std::string &handler, const nb::dict &arguments);

/// Runtime::tie() with a Python `Invariant`.
void tie(Runtime &runtime, const std::string &label, nb::handle invariant);

} // namespace sartor::python

#endif

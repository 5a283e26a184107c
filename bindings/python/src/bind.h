// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The parts of the extension module, in the order in which they must be bound.
#ifndef SARTOR_PYTHON_BIND_H
#define SARTOR_PYTHON_BIND_H

#include "convert.h"

namespace sartor::python {

void bind_failure(nb::module_ &module);
void bind_configuration(nb::module_ &module);
void bind_space(nb::module_ &module);
void bind_strategy(nb::module_ &module);
void bind_strategies(nb::module_ &module);
void bind_profile(nb::module_ &module);
void bind_binding(nb::module_ &module);
void bind_verification(nb::module_ &module);
void bind_runtime(nb::module_ &module);
void bind_objective(nb::module_ &module);
void bind_explorer(nb::module_ &module);

} // namespace sartor::python

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"

NB_MODULE(_sartor, module) {
  using namespace sartor::python;
  module.doc() = "What libsartor offers; import it from the package `sartor`.";
  // An explorer refers to functions of the program, whose globals refer to the explorer: a
  // reference cycle.
  nb::set_leak_warnings(false);
  bind_failure(module);
  bind_configuration(module);
  bind_space(module);
  bind_strategy(module);
  bind_strategies(module);
  bind_profile(module);
  bind_binding(module);
  bind_verification(module);
  bind_runtime(module);
  bind_objective(module);
  bind_explorer(module);
}

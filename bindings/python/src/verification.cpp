// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/operators.h>

#include "bind.h"
#include "value_type.h"

namespace sartor {

inline auto python_members(Verification &it) {
  return std::tie(it.first_calls, it.budget, it.every, it.tolerance);
}

} // namespace sartor

namespace sartor::python {

void bind_verification(nb::module_ &module) {
  const Verification defaults;
  nb::class_<Verification> type(
      module, "Verification",
      "Which calls of variants are compared with the native code, on the same input. A variant "
      "that "
      "gives another result is taken out of service, and callers get the native code's result.");
  type.def(
          "__init__",
          [](Verification *self, unsigned first_calls, double budget, unsigned every,
             double tolerance) { new (self) Verification{first_calls, budget, every, tolerance}; },
          nb::kw_only(), nb::arg("first_calls") = defaults.first_calls,
          nb::arg("budget") = defaults.budget, nb::arg("every") = defaults.every,
          nb::arg("tolerance") = defaults.tolerance)
      .def_ro("first_calls", &Verification::first_calls,
              "Calls of each new variant that are compared first; 0: none.")
      .def_ro("budget", &Verification::budget,
              "Largest share of the time that later comparisons may take, from 0 to 1.")
      .def_ro("every", &Verification::every,
              "One call in so many is compared, whatever it costs; 1 is every call, 0 is none.")
      .def_ro("tolerance", &Verification::tolerance,
              "Largest relative difference of floats that is none, for handlers compiled with "
              "-ffast-math or the like.")
      .def(nb::self == nb::self, nb::sig(kEquals));
  add_state(type);
  add_repr(type, {"first_calls", "budget", "every", "tolerance"});
}

} // namespace sartor::python

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "python_strategy.h"

#include <nanobind/stl/function.h>

namespace sartor::python {

namespace {

using Number = std::function<double()>;

/// Reads an unsigned 64-bit integer of ctypes in place, without Python's lock; calls anything else.
Number counter_of(const nb::object &read) {
  const nb::object ctypes = nb::module_::import_("ctypes");
  if (!nb::isinstance(read, ctypes.attr("c_uint64")))
    return nb::cast<Number>(read);
  const auto *at = reinterpret_cast<const std::uint64_t *>(
      nb::cast<std::uintptr_t>(ctypes.attr("addressof")(read)));
  return [kept = keep(read), at] {
    return static_cast<double>(__atomic_load_n(at, __ATOMIC_RELAXED));
  };
}

Objective::Direction direction(bool lower_is_better) {
  return lower_is_better ? Objective::Direction::lower_is_better
                         : Objective::Direction::higher_is_better;
}

} // namespace

void bind_objective(nb::module_ &module) {
  nb::class_<Objective>(module, "Objective", R"(The number that says how well the system does.

Functions are called from the explorer's thread, a few times each slice; one that raises ends the
exploration with what it raised. Where a count is asked for, a ctypes.c_uint64 that native code
increments will do: it is read in place, without the interpreter's lock.)")
      .def_static(
          "rate_of",
          [](const nb::object &counter, std::string name, std::string unit,
             const nb::object &cost) {
            Objective objective;
            objective.read = counter_of(counter);
            objective.name = std::move(name);
            objective.unit = std::move(unit);
            if (!cost.is_none())
              objective.cost = counter_of(cost);
            return objective;
          },
          nb::arg("counter"), nb::arg("name") = "throughput", nb::arg("unit") = "1/s",
          nb::arg("cost") = nb::none(),
          nb::sig("def rate_of(counter: collections.abc.Callable[[], float] | ctypes.c_uint64, "
                  "name: str = "
                  "'throughput', unit: str = '1/s', cost: collections.abc.Callable[[], float] | "
                  "ctypes.c_uint64 | None = None) -> Objective"),
          "The rate per second at which a count grows; high is good. `cost`: what its work "
          "has cost so far, in any unit; the process's CPU time if None.")
      .def_static(
          "value_of",
          [](Number read, bool lower_is_better, std::string name, std::string unit) {
            return Objective::value_of(std::move(read), direction(lower_is_better), std::move(name),
                                       std::move(unit));
          },
          nb::arg("read"), nb::arg("lower_is_better") = false, nb::arg("name") = "objective",
          nb::arg("unit") = "", "What a function returns, averaged over readings in the slice.")
      .def_static(
          "cost_per",
          [](const nb::object &cost, const nb::object &per, std::string name, std::string unit) {
            return Objective::cost_per(counter_of(cost), counter_of(per), std::move(name),
                                       std::move(unit));
          },
          nb::arg("cost"), nb::arg("per"), nb::arg("name") = "cost per request",
          nb::arg("unit") = "",
          nb::sig("def cost_per(cost: collections.abc.Callable[[], float] | ctypes.c_uint64, per: "
                  "collections.abc.Callable[[], float] | ctypes.c_uint64, name: str = 'cost per "
                  "request', "
                  "unit: str = '') -> Objective"),
          "What `cost` grows by for each that `per` grows by; low is good.")
      .def_static("cost_of_call", &Objective::cost_of_call, nb::arg("handler"),
                  "The ticks of the time-stamp counter that a call of a handler takes; its entry "
                  "rotates variants over small batches of calls while exploring.")
      .def_ro("name", &Objective::name)
      .def_ro("unit", &Objective::unit);
}

} // namespace sartor::python

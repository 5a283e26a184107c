// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "python_strategy.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace sartor::python {

namespace {

using Number = std::function<double()>;
using Counts = std::function<std::vector<std::uint64_t>()>;

/// Reads an unsigned 64-bit integer of ctypes in place, without the GIL; calls any other object.
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
  nb::class_<Histogram>(module, "Histogram",
                        R"(Counts latencies by size, for Objective.percentile_of().

Buckets are 1/64 wide at most, from a nanosecond to 73 minutes. Native code that counts its own
latencies gives percentile_of() its bounds and counts instead.)")
      .def(nb::init<>())
      .def("record", &Histogram::record_seconds, nb::arg("seconds"), "From any thread.")
      .def("counts", &Histogram::counts, "How many there were so far, by bucket of bounds().")
      .def_static("bounds", &Histogram::bounds,
                  "The largest latency in each bucket, in seconds; there is one bucket more.");

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
          nb::arg("unit") = "", "The result of a function, averaged over a sample.")
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
          "The growth of `cost` for each unit of `per`; low is good.")
      .def_static(
          "energy_per",
          [](const nb::object &per, std::string name) {
            return Objective::energy_per(counter_of(per), std::move(name));
          },
          nb::arg("per"), nb::arg("name") = "energy per request",
          nb::sig("def energy_per(per: collections.abc.Callable[[], float] | ctypes.c_uint64, "
                  "name: str = 'energy per request') -> Objective"),
          "The joules that all processors of the machine use for each unit of `per`, if "
          "Linux reports them (powercap); Error (bad_objective) elsewhere.")
      .def_static("cost_of_call", &Objective::cost_of_call, nb::arg("handler"),
                  "The ticks of the time-stamp counter that a call of a handler takes; its entry "
                  "rotates variants over small batches of calls while exploring.")
      .def_static(
          "percentile_of",
          [](const nb::object &histogram, double percent, std::string name, std::string unit,
             std::optional<std::vector<double>> bounds) {
            if (nb::isinstance<Histogram>(histogram)) {
              Objective objective = Objective::percentile_of(nb::cast<Histogram &>(histogram),
                                                             percent, std::move(name));
              // The reading function keeps the histogram alive.
              const auto kept = keep(histogram);
              objective.buckets.counts = [kept, counts = objective.buckets.counts] {
                return counts();
              };
              return objective;
            }
            Buckets buckets{.bounds = bounds.value_or(std::vector<double>()),
                            .counts = nb::cast<Counts>(histogram)};
            return Objective::percentile_of(std::move(buckets), percent, std::move(name),
                                            std::move(unit));
          },
          nb::arg("histogram"), nb::arg("percent") = 99.0, nb::arg("name") = "latency",
          nb::arg("unit") = "s", nb::arg("bounds") = nb::none(),
          nb::sig("def percentile_of(histogram: Histogram | collections.abc.Callable[[], "
                  "list[int]], percent: float = 99.0, name: str = 'latency', unit: str = 's', "
                  "bounds: collections.abc.Sequence[float] | None = None) -> Objective"),
          "The latency that `percent` of all requests do not exceed; low is good. Variants are "
          "compared by all of their requests together. Of a histogram of one's own, a function "
          "that returns how "
          "many there were so far in each bucket, and `bounds`, the largest value in each but the "
          "last.")
      .def_static(
          "weighted",
          [](const std::vector<std::pair<Objective, double>> &members) {
            std::vector<Weighted> all;
            for (const auto &[of, weight] : members)
              all.push_back({of, weight});
            return Objective::weighted(all);
          },
          nb::arg("members"),
          "Several quantities, each with a weight, for instance Objective.weighted([(rate, 2), "
          "(p99, 1)]): variants are compared by the product of their scores, each to the power of "
          "its "
          "share of all weights, so that 5 % more throughput outweighs a p99 that is 9 % higher "
          "here. The bounds of all members must hold. None may be weighted itself, or "
          "cost_of_call().")
      .def(
          "subject_to",
          [](const Objective &self, const Objective &other, std::optional<double> least,
             std::optional<double> most) {
            return self.subject_to(other, {.least = least, .most = most});
          },
          nb::arg("other"), nb::kw_only(), nb::arg("least") = nb::none(),
          nb::arg("most") = nb::none(),
          "This objective among variants that keep another quantity within limits, for instance "
          "rate.subject_to(Objective.percentile_of(latency), most=2e-3). A trial that surely "
          "violates a bound ends at once. Only a configuration that surely keeps all bounds is "
          "chosen; if none does, the one that violates them least (Decision.keeps_bounds).")
      .def_ro("name", &Objective::name)
      .def_ro("unit", &Objective::unit);
}

} // namespace sartor::python

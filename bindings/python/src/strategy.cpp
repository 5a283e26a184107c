// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "python_strategy.h"
#include "value_type.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace sartor {

inline auto python_members(Estimate &it) { return std::tie(it.mean, it.low, it.high, it.windows); }
inline auto python_members(Decision &it) {
  return std::tie(it.configuration, it.estimate, it.gain, it.verdict, it.runner_up, it.bounds,
                  it.keeps_bounds, it.objective, it.unit);
}
inline auto python_members(BucketCount &it) { return std::tie(it.bucket, it.count); }
inline auto python_members(QuantitySample &it) {
  return std::tie(it.value, it.weight, it.requests);
}
inline auto python_members(BoundSample &it) { return std::tie(it.value, it.weight); }
inline auto python_members(Trial &it) {
  return std::tie(it.configuration, it.score, it.error, it.sample_count, it.failed, it.cut_short,
                  it.weight, it.seconds, it.requests, it.quantities, it.bounds, it.breaks,
                  it.reference);
}

} // namespace sartor

namespace sartor::python {

namespace {

void bind_results(nb::module_ &module) {
  nb::class_<Estimate> estimate(
      module, "Estimate", "A mean, and the interval it lies in with the strategy's confidence.");
  estimate
      .def(
          "__init__",
          [](Estimate *self, double mean, double low, double high, std::size_t windows) {
            new (self) Estimate{mean, low, high, windows};
          },
          nb::arg("mean") = 0.0, nb::arg("low") = 0.0, nb::arg("high") = 0.0,
          nb::arg("windows") = 0)
      .def_ro("mean", &Estimate::mean)
      .def_ro("low", &Estimate::low)
      .def_ro("high", &Estimate::high)
      .def_ro("windows", &Estimate::windows, "The number of samples.")
      .def("__repr__", [](const Estimate &self) {
        return nb::str("Estimate(mean={}, low={}, high={}, windows={})")
            .format(self.mean, self.low, self.high, self.windows);
      });
  add_state(estimate);

  nb::class_<Decision> decision(module, "Decision",
                                R"(The choice of a strategy, or the decision of an explorer.

`gain`: the improvement over the configuration that was active when the exploration began, as a
share of its score (0.05 is 5 % more); if that stays active, the improvement by the best other one. `verdict`:
"better" (at the stated error), "no_gain" (no trial is better by more than the tolerance) or
"undecided" (the evidence did not suffice in its time); after the latter two the active configuration
stays active. `runner_up`: the best of those it was compared with, or None. In a strategy's own
choices these three have no meaning.)");
  decision
      .def(
          "__init__",
          [](Decision *self, Configuration configuration, const Estimate &estimate) {
            new (self) Decision{std::move(configuration), estimate};
          },
          nb::arg("configuration") = Configuration(), nb::arg("estimate") = Estimate(),
          nb::sig("def __init__(self, configuration: " SARTOR_PYTHON_CONFIGURATION
                  " = ..., estimate: Estimate = ...) -> None"))
      .def_ro("configuration", &Decision::configuration)
      .def_ro("estimate", &Decision::estimate)
      .def_ro("gain", &Decision::gain)
      .def_prop_ro(
          "verdict",
          [](const Decision &self) {
            return self.verdict == Verdict::better    ? "better"
                   : self.verdict == Verdict::no_gain ? "no_gain"
                                                      : "undecided";
          },
          nb::sig("def verdict(self) -> typing.Literal['better', 'no_gain', 'undecided']"))
      .def_ro("runner_up", &Decision::runner_up)
      .def_ro("bounds", &Decision::bounds,
              "The values of the objective's bounds under the choice, in their order; of a "
              "percentile, the share of requests above the limit.")
      .def_ro("keeps_bounds", &Decision::keeps_bounds,
              "False: the choice is not known to keep them all.")
      .def_ro(
          "objective", &Decision::objective,
          "The name of what the explorer compared: the objective's, or of the cost of a unit of "
          "work, if a rate would have shown the offered load.")
      .def_ro("unit", &Decision::unit, "The unit of the estimate.")
      .def("__repr__", [](const Decision &self) {
        return nb::str("Decision({!r}, {!r})").format(self.configuration, self.estimate);
      });
  add_state(decision);

  nb::class_<Trial> trial(module, "Trial", R"(The result of measuring a configuration.

`score` is the objective, higher always being better (the explorer gives -value of what should be
low); `error` its standard error, 0 if nothing is known of it; `sample_count` how many slices it rests on.
`failed`: it could not be compiled or run, and the rest says nothing. `cut_short`: it was given up
early, being surely worse than the best.)");
  trial
      .def(
          "__init__",
          [](Trial *self, Configuration configuration, double score, double error,
             std::size_t sample_count, bool failed, bool cut_short) {
            new (self)
                Trial{std::move(configuration), score, error, sample_count, failed, cut_short};
          },
          nb::arg("configuration"), nb::arg("score") = 0.0, nb::arg("error") = 0.0,
          nb::arg("sample_count") = 1, nb::arg("failed") = false, nb::arg("cut_short") = false,
          nb::sig("def __init__(self, configuration: " SARTOR_PYTHON_CONFIGURATION
                  ", score: float = 0.0, error: float = 0.0, sample_count: int = 1, failed: bool = "
                  "False, cut_short: bool = False) -> None"))
      .def_ro("configuration", &Trial::configuration)
      .def_ro("score", &Trial::score)
      .def_ro("error", &Trial::error)
      .def_ro("sample_count", &Trial::sample_count)
      .def_ro("failed", &Trial::failed)
      .def_ro("cut_short", &Trial::cut_short)
      .def("__repr__", [](const Trial &self) {
        return nb::str("<Trial {}: {}>")
            .format(self.configuration, self.failed ? nb::cast("failed") : nb::cast(self.score));
      });
  add_state(trial);
}

} // namespace

std::optional<Configuration> PythonStrategy::ask() { NB_OVERRIDE_PURE(ask); }

void PythonStrategy::tell(const Trial &trial) { NB_OVERRIDE_PURE(tell, trial); }

Decision PythonStrategy::best() const { NB_OVERRIDE_PURE(best); }

std::size_t PythonStrategy::sample_count() const { NB_OVERRIDE(sample_count); }

std::shared_ptr<nb::object> keep(nb::object object) {
  // If the interpreter has ended, the object has, too.
  const auto drop = [](nb::object *kept) {
#if NB_VERSION_MAJOR < 3
    if (!nb::is_alive())
      return;
    const nb::gil_scoped_acquire lock;
    delete kept;
#else
    if (const nb::gil_scoped_acquire lock; lock)
      delete kept;
#endif
  };
  return {new nb::object(std::move(object)), drop};
}

BorrowedStrategy::BorrowedStrategy(nb::object object) {
  if (!nb::try_cast(object, strategy_) || !strategy_)
    throw nb::type_error(
        "not a sartor.Strategy; call super().__init__() if it is a class of yours");
  object_ = keep(std::move(object));
}

void bind_strategy(nb::module_ &module) {
  bind_results(module);

  nb::class_<Strategy, PythonStrategy>(module, "Strategy",
                                       R"(Proposes configurations and receives their results.

Derive from it (and call super().__init__()) to write a strategy: `ask`, `tell` and `best`
must be defined, `sample_count` may be. An Explorer calls them from its thread, one at a time. An
exception in them ends the exploration with Error (bad_strategy); the active configuration stays.)")
      .def(nb::init<>())
      .def("ask", &Strategy::ask, nb::call_guard<nb::gil_scoped_release>(),
           "The next configuration to try, or None if the strategy is sure. May be called again "
           "before "
           "results arrive; None then means: wait for them.")
      .def("tell", &Strategy::tell, nb::arg("trial"), nb::call_guard<nb::gil_scoped_release>(),
           "Results may come in any order.")
      .def("best", &Strategy::best, nb::call_guard<nb::gil_scoped_release>(),
           "The best so far; before the first successful trial, the generic code.")
      .def("sample_count", &Strategy::sample_count, nb::call_guard<nb::gil_scoped_release>(),
           "The most samples of a trial, each paired with one of the active configuration. 1: a "
           "trial is a single sample, and the strategy pairs them itself.");
}

} // namespace sartor::python

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "python_strategy.h"

#include <unordered_set>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>

#include <sartor/strategies.hpp>

namespace sartor::python {

namespace {

using Number = std::function<double()>;

/// Waits for its thread without the interpreter's lock, which the thread may be waiting for; and
/// ends before the interpreter does.
class PythonExplorer {
public:
  PythonExplorer(Runtime &runtime, Objective objective, ExplorerOptions options)
      : explorer_(runtime, std::move(objective), std::move(options)) {}
  ~PythonExplorer() {
    running_.erase(this);
    stop();
  }
  PythonExplorer(const PythonExplorer &) = delete;
  PythonExplorer &operator=(const PythonExplorer &) = delete;

  void start() {
    running_.insert(this);
    const nb::gil_scoped_release unlocked;
    explorer_.start();
  }
  void stop() {
    const nb::gil_scoped_release unlocked;
    explorer_.stop();
  }
  Decision explore() {
    const nb::gil_scoped_release unlocked;
    return explorer_.explore();
  }
  [[nodiscard]] const Explorer &operator*() const { return explorer_; }

  static void stop_all() {
    for (PythonExplorer *explorer : std::vector(running_.begin(), running_.end()))
      explorer->stop();
  }

private:
  static inline std::unordered_set<PythonExplorer *> running_; ///< Guarded by Python's lock.

  Explorer explorer_;
};

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

/// What makes the strategy of each exploration: the name of one that comes with Sartor, or a
/// callable that is given the space.
auto strategy_maker(const nb::object &from, std::size_t most_trials) {
  std::function<std::unique_ptr<Strategy>(const SearchSpace &)> make;
  if (from.is_none())
    return make;
  if (PyUnicode_Check(from.ptr())) {
    auto name = nb::cast<std::string>(from);
    make_strategy(name, {}, {}); // an unknown name is refused now
    make = [name = std::move(name), most_trials](const SearchSpace &space) {
      return make_strategy(name, space, {most_trials, 1});
    };
    return make;
  }
  if (!PyCallable_Check(from.ptr()))
    throw nb::type_error("strategy: not a name, nor a function that makes one from a SearchSpace");
  make = [callable = keep(from)](const SearchSpace &space) -> std::unique_ptr<Strategy> {
    const nb::gil_scoped_acquire lock;
    return std::make_unique<BorrowedStrategy>((*callable)(nb::cast(space)));
  };
  return make;
}

template <class Duration> Duration duration(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

template <class Duration> double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void make_explorer(PythonExplorer *self, Runtime &runtime, const Objective &objective,
                   const nb::object &strategy,
                   const std::map<std::string, std::vector<Value>> &choices,
                   const std::set<std::string> &unguarded, double slice, double longest_slice,
                   double slice_events, double error_probability, double tolerance,
                   std::size_t most_slices, std::size_t most_trials, double regression_budget,
                   bool watch, double watch_budget, double watch_window,
                   const std::filesystem::path &journal) {
  ExplorerOptions options;
  options.slice = duration<std::chrono::microseconds>(slice);
  options.longest_slice = duration<std::chrono::microseconds>(longest_slice);
  options.slice_events = slice_events;
  options.choices = choices;
  options.unguarded = unguarded;
  options.error_probability = error_probability;
  options.tolerance = tolerance;
  options.most_slices = most_slices;
  options.most_trials = most_trials;
  options.regression_budget = regression_budget;
  options.watch = watch;
  options.watch_budget = watch_budget;
  options.watch_window = duration<std::chrono::milliseconds>(watch_window);
  options.journal = journal;
  options.strategy = strategy_maker(strategy, most_trials);
  new (self) PythonExplorer(runtime, objective, std::move(options));
}

} // namespace

void bind_explorer(nb::module_ &module) {
  bind_objective(module);
  const ExplorerOptions defaults;

  nb::class_<PythonExplorer>(module, "Explorer",
                             R"(Looks for the best configuration of a running program.

Puts it in force, and looks again when the workload changes. Durations are seconds of wall time.

strategy: the name of one ("exhaustive", "random", "race", "coordinate", "bandits"), or a callable
  that is given the SearchSpace and returns a Strategy, for each exploration anew. None: a race over
  all configurations if there are few, else a coordinate search, and a race of the best it found.
choices: values to try at points that have none of their own, or instead of their own.
unguarded: labels of points where any of their values gives right results, as with a block size.
slice, longest_slice, slice_events: the shortest slice; one in which a counter barely moved is
  prolonged until it has moved `slice_events` times.
error_probability: that the choice is wrong by more than `tolerance`, a share of the best's score.
most_slices: that one candidate gets in a race. most_trials: where there are too many to race all.
regression_budget: the share of throughput that exploring may cost.
watch: whether to watch the program after a decision, and explore again when its workload has
  changed. watch_budget: the share of throughput that watching may cost. watch_window: what profiles
  are compared over.
journal: a file in which trials are kept, so that an exploration that was interrupted goes on.

Raises Error: bad_objective, unknown_label, value_outside_choices.)")
      .def("__init__", &make_explorer, nb::keep_alive<1, 2>(), nb::arg("runtime"),
           nb::arg("objective"), nb::kw_only(), nb::arg("strategy") = nb::none(),
           nb::arg("choices") = defaults.choices, nb::arg("unguarded") = defaults.unguarded,
           nb::arg("slice") = seconds(defaults.slice),
           nb::arg("longest_slice") = seconds(defaults.longest_slice),
           nb::arg("slice_events") = defaults.slice_events,
           nb::arg("error_probability") = defaults.error_probability,
           nb::arg("tolerance") = defaults.tolerance, nb::arg("most_slices") = defaults.most_slices,
           nb::arg("most_trials") = defaults.most_trials,
           nb::arg("regression_budget") = defaults.regression_budget,
           nb::arg("watch") = defaults.watch, nb::arg("watch_budget") = defaults.watch_budget,
           nb::arg("watch_window") = seconds(defaults.watch_window), nb::arg("journal") = "")
      .def("start", &PythonExplorer::start,
           "Starts exploring and watching on a thread of its own. Ends with the interpreter.")
      .def("stop", &PythonExplorer::stop,
           "Stops after the slice under way. The best so far stays in force.")
      .def("explore", &PythonExplorer::explore,
           "One exploration; returns what it put in force. Other Python threads run meanwhile. "
           "Not while started. Raises Error (bad_strategy, ...), and what the objective's "
           "functions raise.")
      .def_prop_ro(
          "decision", [](const PythonExplorer &self) { return (*self).decision(); },
          "The last one; None before the first.")
      .def_prop_ro(
          "explorations", [](const PythonExplorer &self) { return (*self).explorations(); },
          "How many were completed.")
      .def_prop_ro(
          "space", [](const PythonExplorer &self) { return (*self).space(); },
          "What it chooses from.");

  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&PythonExplorer::stop_all));
}

} // namespace sartor::python

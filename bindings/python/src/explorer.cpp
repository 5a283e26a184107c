// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "interruptible.h"
#include "python_strategy.h"

#include <unordered_set>

#include <nanobind/stl/function.h>

#include <sartor/strategies.hpp>

namespace sartor::python {

/// What an Explorer's `strategy` may be, with its type for those who read it.
struct StrategyChoice {
  nb::object object;
};

} // namespace sartor::python

namespace nanobind::detail {

template <> struct type_caster<sartor::python::StrategyChoice> {
  NB_TYPE_CASTER(sartor::python::StrategyChoice,
                 const_name("str | collections.abc.Callable[[SearchSpace], Strategy] | None"))

  bool from_python(handle source, std::uint32_t, cleanup_list *) noexcept {
    value.object = borrow(source);
    return true;
  }
};

} // namespace nanobind::detail

namespace sartor::python {

namespace {

/// Waits for its thread without the interpreter's lock, which the thread may be waiting for; and
/// ends before the interpreter does.
class PythonExplorer {
public:
  /// `thread` is where the strategy's maker leaves Python's number of the thread it is called on.
  PythonExplorer(Runtime &runtime, Objective objective, ExplorerOptions options,
                 std::shared_ptr<std::atomic<unsigned long>> thread)
      : runtime_(runtime), journal_(options.journal), thread_(std::move(thread)),
        explorer_(runtime, std::move(objective), std::move(options)) {}
  ~PythonExplorer() {
    running_.erase(this);
    const nb::gil_scoped_release unlocked;
    explorer_.stop();
  }
  PythonExplorer(const PythonExplorer &) = delete;
  PythonExplorer &operator=(const PythonExplorer &) = delete;

  void start() {
    running_.insert(this);
    *thread_ = 0;
    const nb::gil_scoped_release unlocked;
    explorer_.start();
  }
  void stop() {
    run_interruptibly([this](const std::stop_token &) { explorer_.stop(); }, thread_.get());
  }
  /// What was in force before is in force again if it is interrupted.
  Decision explore() {
    const Configuration before = runtime_.configuration();
    std::optional<Decision> found;
    try {
      run_interruptibly([&](const std::stop_token &stop) { found = explorer_.explore(stop); });
    } catch (const nb::python_error &) {
      const nb::gil_scoped_release unlocked;
      runtime_.specialize(before);
      throw;
    }
    return *found;
  }
  [[nodiscard]] const Explorer &operator*() const { return explorer_; }
  [[nodiscard]] const std::filesystem::path &journal() const { return journal_; }

  static void stop_all() {
    for (PythonExplorer *explorer : std::vector(running_.begin(), running_.end()))
      explorer->stop();
  }

private:
  static inline std::unordered_set<PythonExplorer *> running_; ///< Guarded by Python's lock.

  Runtime &runtime_;
  const std::filesystem::path journal_;
  const std::shared_ptr<std::atomic<unsigned long>> thread_;
  Explorer explorer_;
};

/// What makes the strategy of each exploration: the name of one that comes with Sartor, or a
/// callable that is given the space.
auto strategy_maker(const nb::object &from, SearchOptions options,
                    std::shared_ptr<std::atomic<unsigned long>> thread) {
  std::function<std::unique_ptr<Strategy>(const SearchSpace &)> make;
  if (from.is_none())
    return make;
  if (PyUnicode_Check(from.ptr())) {
    auto name = nb::cast<std::string>(from);
    make_strategy(name, {}, {}); // an unknown name is refused now
    make = [name = std::move(name), options](const SearchSpace &space) {
      return make_strategy(name, space, options);
    };
    return make;
  }
  if (!PyCallable_Check(from.ptr()))
    throw nb::type_error("strategy: not a name, nor a function that makes one from a SearchSpace");
  make = [callable = keep(from),
          thread = std::move(thread)](const SearchSpace &space) -> std::unique_ptr<Strategy> {
    const nb::gil_scoped_acquire lock;
    *thread = PyThread_get_thread_ident();
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
                   const StrategyChoice &strategy,
                   const std::map<std::string, std::vector<Value>> &choices,
                   const std::set<std::string> &unguarded, double slice, double longest_slice,
                   double slice_events, double error_probability, double tolerance,
                   std::size_t most_slices, std::size_t most_trials, std::uint64_t seed,
                   double regression_budget, double confirm_for, std::optional<double> settle,
                   bool watch, double watch_budget, double watch_window,
                   std::optional<std::function<std::string()>> signature,
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
  options.confirm_for = duration<std::chrono::milliseconds>(confirm_for);
  if (settle)
    options.settle = duration<std::chrono::microseconds>(*settle);
  options.watch = watch;
  options.watch_budget = watch_budget;
  options.watch_window = duration<std::chrono::milliseconds>(watch_window);
  if (signature)
    options.signature = std::move(*signature);
  options.journal = journal;
  auto thread = std::make_shared<std::atomic<unsigned long>>();
  options.strategy = strategy_maker(strategy.object, {most_trials, seed}, thread);
  new (self) PythonExplorer(runtime, objective, std::move(options), std::move(thread));
}

} // namespace

void bind_explorer(nb::module_ &module) {
  const ExplorerOptions defaults;

  nb::class_<PythonExplorer>(module, "Explorer",
                             R"(Looks for the best configuration of a running program.

Puts it in force, and looks again when the workload changes. Durations are seconds of wall time.

strategy: the name of one ("exhaustive", "random", "race", "local"), or a callable that is given the
  SearchSpace and returns a Strategy, for each exploration anew. None: a race over all
  configurations if there are few; else points of different handlers are raced apart, and the rest
  is searched. It nominates; the best are raced with what was in force and the generic code, and the
  winner is confirmed.
choices: values to try at points that have none of their own, or instead of their own.
unguarded: labels of points where any of their values gives right results, as with a block size.
slice, longest_slice, slice_events: the shortest slice; one in which a counter barely moved is
  prolonged until it has moved `slice_events` times.
error_probability: that the choice is wrong by more than `tolerance`, a share of the best's score.
most_slices: that one candidate gets in a race. most_trials: where there are too many to race all.
seed: of a strategy that is given by name.
regression_budget: the share of throughput that exploring may cost.
confirm_for: how long the best is held against what is in force before it may take its place.
settle: how long the objective lags behind a switch of variants; None: that is found out.
watch: whether to watch the program after a decision, and explore again when its workload has
  changed. watch_budget: the share of throughput that watching may cost. watch_window: what profiles
  are compared over.
signature: returns what the program calls its present workload; another name is a change, and the
  winner of one that came before is put in force at once. Called often, from the explorer's thread.
journal: a file in which trials are kept, so that an exploration that was interrupted goes on, and
  trials_dataframe() has something to show.

As a context manager it is stopped at the end of the block.

Raises Error: bad_objective, unknown_label, value_outside_choices.)")
      .def("__init__", &make_explorer, nb::keep_alive<1, 2>(), nb::arg("runtime"),
           nb::arg("objective"), nb::kw_only(), nb::arg("strategy").none() = nb::none(),
           nb::arg("choices") = defaults.choices, nb::arg("unguarded") = defaults.unguarded,
           nb::arg("slice") = seconds(defaults.slice),
           nb::arg("longest_slice") = seconds(defaults.longest_slice),
           nb::arg("slice_events") = defaults.slice_events,
           nb::arg("error_probability") = defaults.error_probability,
           nb::arg("tolerance") = defaults.tolerance, nb::arg("most_slices") = defaults.most_slices,
           nb::arg("most_trials") = defaults.most_trials, nb::arg("seed") = SearchOptions().seed,
           nb::arg("regression_budget") = defaults.regression_budget,
           nb::arg("confirm_for") = seconds(defaults.confirm_for), nb::arg("settle") = nb::none(),
           nb::arg("watch") = defaults.watch, nb::arg("watch_budget") = defaults.watch_budget,
           nb::arg("watch_window") = seconds(defaults.watch_window),
           nb::arg("signature") = nb::none(), nb::arg("journal") = "")
      .def("start", &PythonExplorer::start,
           "Starts exploring and watching on a thread of its own. Ends with the interpreter.")
      .def("stop", &PythonExplorer::stop,
           "Stops after the slice under way; waits for a call of a strategy of Python's, which "
           "Ctrl-C ends. What was decided stays in force.")
      .def("explore", &PythonExplorer::explore,
           "One exploration; returns what it put in force. Other Python threads run meanwhile. "
           "Not while started. Raises Error (bad_strategy, ...), what the objective's functions "
           "raise, and KeyboardInterrupt: then what was in force before is in force again.")
      .def(
          "trials_dataframe",
          [](const PythonExplorer &self) {
            if (self.journal().empty())
              throw nb::value_error("there is no journal: give the Explorer one (journal=...)");
            return nb::module_::import_("sartor.trials").attr("trials_dataframe")(self.journal());
          },
          nb::sig("def trials_dataframe(self) -> pandas.DataFrame"),
          "What is in the journal, as sartor.trials_dataframe() has it. Raises ValueError without "
          "a journal, ImportError without pandas.")
      .def(
          "__enter__", [](nb::object self) { return self; },
          nb::sig("def __enter__(self) -> Explorer"))
      .def(
          "__exit__", [](PythonExplorer &self, const nb::args &) { self.stop(); },
          nb::sig("def __exit__(self, *exception: object) -> None"))
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

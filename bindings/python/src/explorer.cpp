// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_set>

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>

#include <sartor/strategies.hpp>

#include "bind.h"
#include "python_strategy.h"

namespace sartor::python {

namespace {

using namespace std::chrono_literals;

/// Maximum delay between a signal and its Python handler.
constexpr auto kLookEvery = 20ms;
/// Time that running Python code gets after a signal before it is interrupted.
constexpr auto kGrace = 100ms;

/// Starts a thread with all signals blocked: signals are for the program's own threads.
std::thread start(std::packaged_task<void()> task) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(task));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

/// Calls `work` on a new thread, without the GIL. The calling thread, which must hold the GIL, runs
/// Python's signal handlers meanwhile. If one of those raises an exception (Ctrl-C), `work` is
/// asked to stop, Python code called by it gets KeyboardInterrupt, and the exception is thrown once
/// `work` has ended. Otherwise throws the exceptions of `work`.
///
/// `thread_of_python`: Python's identifier of the thread that runs this Python code, 0 while there
/// is none; null: the thread of `work` itself.
void run_interruptibly(const std::function<void(const std::stop_token &)> &work,
                       const std::atomic<unsigned long> *thread_of_python = nullptr) {
  std::stop_source stop;
  // Python's identifier of a thread can only be queried within the thread.
  std::promise<unsigned long> number;
  std::future<unsigned long> thread_number = number.get_future();
  std::packaged_task<void()> task([&] {
    number.set_value(PyThread_get_thread_ident());
    work(stop.get_token());
  });
  std::future<void> done = task.get_future();
  std::thread thread = start(std::move(task));
  const std::atomic<unsigned long> worker = thread_number.get();
  const auto has_ended_within = [&done](std::chrono::milliseconds time) {
    const nb::gil_scoped_release unlocked;
    return done.wait_for(time) == std::future_status::ready;
  };

  std::optional<nb::python_error> raised;
  while (!has_ended_within(raised ? kGrace : kLookEvery)) {
    if (raised) {
      // This has no effect while the thread is not in Python code.
      PyThreadState_SetAsyncExc(thread_of_python ? *thread_of_python : worker,
                                PyExc_KeyboardInterrupt);
    } else if (PyErr_CheckSignals() != 0) {
      raised.emplace();
      stop.request_stop();
    }
  }
  thread.join();
  if (raised)
    throw std::move(*raised);
  done.get();
}

/// Waits for its thread without the GIL, which the thread may be waiting for; and ends before the
/// interpreter does.
class PythonExplorer {
public:
  /// The strategy maker stores Python's identifier of the thread that it is called on in `thread`.
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
  /// If it is interrupted, restores the previously active configuration.
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
  static inline std::unordered_set<PythonExplorer *> running_; ///< Guarded by the GIL.

  Runtime &runtime_;
  const std::filesystem::path journal_;
  const std::shared_ptr<std::atomic<unsigned long>> thread_;
  Explorer explorer_;
};

/// Returns a function that makes the strategy of each exploration from the space, by calling
/// `from`.
auto strategy_maker(nb::object from, std::shared_ptr<std::atomic<unsigned long>> thread) {
  if (!PyCallable_Check(from.ptr()))
    throw nb::type_error("strategy: not a name, nor a function that makes one from a SearchSpace");
  return [callable = keep(std::move(from)),
          thread = std::move(thread)](const SearchSpace &space) -> std::unique_ptr<Strategy> {
    const nb::gil_scoped_acquire lock;
    *thread = PyThread_get_thread_ident();
    return std::make_unique<BorrowedStrategy>((*callable)(nb::cast(space)));
  };
}

/// Converts an option to a type that json.dumps() can write.
nb::object plain(const nb::handle &value) {
  if (nb::hasattr(value, "__fspath__"))
    return value.attr("__fspath__")();
  if (PyAnySet_Check(value.ptr()))
    return nb::module_::import_("builtins").attr("sorted")(value);
  return nb::borrow(value);
}

/// Converts keyword arguments to the options that are data.
ExplorerOptions options_of(const nb::dict &data) {
  const auto text = nb::module_::import_("json").attr("dumps")(
      data, nb::arg("default") = nb::module_::import_("operator").attr("index"));
  try {
    return ExplorerOptions::from_json(nb::cast<std::string>(text));
  } catch (const Error &error) {
    if (error.code() != ErrorCode::bad_json)
      throw;
    const auto &[code, subject, message, remedy] = error.failure();
    throw nb::type_error((subject + ": " + message + " (" + remedy + ")").c_str());
  }
}

void make_explorer(PythonExplorer *self, Runtime &runtime, const Objective &objective,
                   const nb::kwargs &given) {
  nb::dict data;
  std::map<std::string, std::vector<Value>> choices;
  nb::object strategy = nb::none(), signature = nb::none();
  for (const auto &[key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "choices")
      choices = nb::cast<std::map<std::string, std::vector<Value>>>(value);
    else if (name == "signature")
      signature = nb::borrow(value);
    else if (name == "strategy" && !PyUnicode_Check(value.ptr()))
      strategy = nb::borrow(value);
    else
      data[key] = plain(value);
  }
  ExplorerOptions options = options_of(data);
  options.choices = std::move(choices);
  auto thread = std::make_shared<std::atomic<unsigned long>>();
  if (!strategy.is_none())
    options.strategy = strategy_maker(strategy, thread);
  if (!signature.is_none())
    options.signature = nb::cast<std::function<std::string()>>(signature);
  new (self) PythonExplorer(runtime, objective, std::move(options), std::move(thread));
}

/// Python's name for a type of ExplorerOptions::describe().
std::string python_type(const std::string &type) {
  static const std::map<std::string, std::string> types{
      {"seconds", "float"},
      {"number", "float"},
      {"count", "int"},
      {"flag", "bool"},
      {"path", "str | os.PathLike[str]"},
      {"labels", "collections.abc.Set[str]"},
      {"values",
       "collections.abc.Mapping[str, collections.abc.Sequence[int | float | bool | str]]"}};
  return types.at(type);
}

/// Signature and documentation of the constructor, from the table of options. They must outlive the
/// binding, which refers to the signature.
struct Report {
  std::string signature = "def __init__(self, runtime: Runtime, objective: Objective, *, "
                          "strategy: str | collections.abc.Callable[[SearchSpace], Strategy] | "
                          "None = None, signature: collections.abc.Callable[[], str] | None = None";
  std::string options;

  Report() {
    const auto json = nb::module_::import_("json");
    for (const nb::handle option : json.attr("loads")(ExplorerOptions::describe())) {
      const auto name = nb::cast<std::string>(option["name"]);
      const auto says = nb::cast<std::string>(option["says"]);
      const auto type = nb::cast<std::string>(option["type"]);
      const nb::object fallback = option["default"];
      if (name == "strategy")
        continue;
      const std::string none = fallback.is_none() ? " | None" : "";
      signature += ", " + name + ": " + python_type(type) + none + " = " +
                   (type == "labels" ? "frozenset()" : nb::cast<std::string>(nb::repr(fallback)));
      options.append(name).append(type == "seconds" ? " (seconds): " : ": ");
      options.append(says).append(".\n");
    }
    signature += ") -> None";
  }
};

} // namespace

void bind_explorer(nb::module_ &module) {
  static const Report reported;
  static const std::string text =
      R"(Looks for the best configuration of a running program.

Activates it, and explores again when the workload changes. Durations are wall time.

strategy: the name of one ("exhaustive", "random", "race", "local"), or a callable that is given the
  SearchSpace and returns a new Strategy for each exploration. None: a race over all
  configurations if there are few; else points of different handlers are raced apart, and the rest
  is searched. It nominates; the best are raced with the active configuration and the generic code,
  and the best of these is confirmed.
signature: returns the program's name of its present workload; another name is a change, and the
  best configuration of an earlier workload is activated at once. Called often, from the explorer's thread.
)" + reported.options +
      R"(
As a context manager it is stopped at the end of the block.

Raises Error: bad_objective, unknown_label, value_outside_choices; TypeError for an unknown
option or a value of a wrong type.)";
  nb::class_<PythonExplorer>(module, "Explorer", text.c_str())
      .def("__init__", &make_explorer, nb::keep_alive<1, 2>(), nb::sig(reported.signature.c_str()),
           nb::arg("runtime"), nb::arg("objective"), nb::arg("options"))
      .def("start", &PythonExplorer::start,
           "Starts exploring and watching on a thread of its own. Ends with the interpreter.")
      .def("stop", &PythonExplorer::stop,
           "Stops after the current sample. Waits for a call of a Python strategy, which Ctrl-C "
           "ends. The active configuration stays active.")
      .def("explore", &PythonExplorer::explore,
           "Explores once, and returns the decision. Other Python threads run meanwhile. "
           "Not while started. Raises Error (bad_strategy, ...), exceptions of the objective's "
           "functions, and KeyboardInterrupt: then the previous configuration has been restored.")
      .def(
          "trials_dataframe",
          [](const PythonExplorer &self) {
            if (self.journal().empty())
              throw nb::value_error("there is no journal: give the Explorer one (journal=...)");
            return nb::module_::import_("sartor.trials").attr("trials_dataframe")(self.journal());
          },
          nb::sig("def trials_dataframe(self) -> pandas.DataFrame"),
          "The trials in the journal, as sartor.trials_dataframe() returns them. Raises ValueError "
          "without "
          "a journal, ImportError without pandas.")
      .def(
          "__enter__", [](nb::object self) { return self; },
          nb::sig("def __enter__(self) -> Explorer"))
      .def(
          "__exit__", [](PythonExplorer &self, const nb::args &) { self.stop(); },
          nb::sig("def __exit__(self, *exception: object) -> None"))
      .def_prop_ro(
          "decision", [](const PythonExplorer &self) { return (*self).decision(); },
          "The last decision; None before the first.")
      .def_prop_ro(
          "explorations", [](const PythonExplorer &self) { return (*self).explorations(); },
          "The number of completed explorations.")
      .def_prop_ro(
          "space", [](const PythonExplorer &self) { return (*self).space(); },
          "The space of configurations.");

  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&PythonExplorer::stop_all));
}

} // namespace sartor::python

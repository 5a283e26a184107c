// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"
#include "binding.h"
#include "library.h"
#include "value_type.h"
#include "verification.h"

namespace sartor::python {

namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

PerfNames perf_names(const std::string &text) {
  if (text.empty())
    return PerfNames::none;
  if (text != "map" && text != "dump")
    throw nb::value_error("perf: write \"map\" or \"dump\", or nothing");
  return text == "map" ? PerfNames::map : PerfNames::dump;
}

using Path = std::filesystem::path;

Runtime make_runtime(const Path &module, const std::optional<Path> &library,
                     const Options &options) {
  if (is_elf(module.native()))
    return Runtime(load_library(module.native()), options);
  return Runtime(module,
                 library ? load_library(library->native()) : std::span<const sartor_module>(),
                 options);
}

std::uintptr_t function(Runtime &runtime, const std::string &name) {
  return reinterpret_cast<std::uintptr_t>(runtime.function(name));
}

void leave(Runtime &runtime, const nb::args &) {
  const nb::gil_scoped_release unlocked;
  runtime.instrument({});
  runtime.specialize({});
}

} // namespace

} // namespace sartor::python

namespace sartor {

inline auto python_members(InvariantReport &it) {
  return std::tie(it.invariant, it.quasi_invariant, it.loads, it.depended_on);
}
inline auto python_members(LoopReport &it) {
  return std::tie(it.function, it.line, it.copies, it.why_not);
}
inline auto python_members(FoldReport &it) {
  return std::tie(it.invariants, it.loops, it.followed, it.indirect_jumps, it.indirect_calls);
}
inline auto python_members(VariantInfo &it) {
  return std::tie(it.name, it.handler, it.configuration, it.code_bytes, it.resident_bytes,
                  it.compile_time, it.quick, it.origin, it.remarks, it.fold_report);
}
inline auto python_members(Statistics &it) {
  return std::tie(it.compiles, it.staged, it.filled, it.cache_hits, it.ahead_of_time, it.alike,
                  it.disk_hits, it.disk_misses, it.shared_hits, it.shared_misses, it.failures,
                  it.switches, it.replugs, it.verified, it.differences, it.reclaimed, it.waiting,
                  it.variants, it.code_bytes, it.resident_bytes, it.guard_failures);
}

} // namespace sartor

namespace sartor::python {

namespace {

void bind_fold_report(nb::module_ &module) {
  nb::class_<InvariantReport> invariant(module, "InvariantReport",
                                        "The effect of one invariant on a variant.");
  invariant.def_ro("invariant", &InvariantReport::invariant, "Its number.")
      .def_ro("quasi_invariant", &InvariantReport::quasi_invariant,
              "The name, if it is a quasi-invariant.")
      .def_ro("loads", &InvariantReport::loads, "Loads from its memory that became constants.")
      .def_ro("depended_on", &InvariantReport::depended_on,
              "False: it changed nothing in the code.");
  add_state(invariant);
  add_repr(invariant, {"invariant", "quasi_invariant", "loads", "depended_on"});
  nb::class_<LoopReport> loop(module, "LoopReport", "A loop over invariant memory.");
  loop.def_ro("function", &LoopReport::function)
      .def_ro("line", &LoopReport::line, "0 if it is not known.")
      .def_ro("copies", &LoopReport::copies, "Copies of its head, if it was followed; else 0.")
      .def_ro("why_not", &LoopReport::why_not,
              "The reason why it is still a loop; empty if it is none.");
  add_state(loop);
  add_repr(loop, {"function", "line", "copies", "why_not"});
  nb::class_<FoldReport> fold_report(module, "FoldReport",
                                     "The effect of invariants on the code of a variant.");
  fold_report.def_ro("invariants", &FoldReport::invariants)
      .def_ro("loops", &FoldReport::loops)
      .def_prop_ro(
          "followed", [](const FoldReport &self) { return std::string(to_string(self.followed)); },
          "How much of the controlling data was followed: 'whole', 'in_part' or 'no'.")
      .def_ro("indirect_jumps", &FoldReport::indirect_jumps, "Remaining computed gotos.")
      .def_ro("indirect_calls", &FoldReport::indirect_calls, "Remaining calls by a pointer.");
  add_state(fold_report);
  add_repr(fold_report, {"invariants", "loops", "followed", "indirect_jumps", "indirect_calls"});
}

void bind_remark(nb::module_ &module) {
  nb::class_<Remark> remark(module, "Remark",
                            "A request that changed nothing, or less than requested.");
  remark
      .def_prop_ro(
          "code", [](const Remark &self) { return std::string(to_string(self.code)); },
          "For programs, such as 'argument_unused'.")
      .def_ro("message", &Remark::message, "For people: the subject and the reason.")
      .def("__str__", &Remark::text);
  add_state(remark);
  add_repr(remark, {"code", "message"});
}

void bind_variant(nb::module_ &module) {
  bind_remark(module);
  bind_fold_report(module);
  nb::class_<VariantInfo> info(module, "VariantInfo", "One specialized handler.");
  info.def_ro("name", &VariantInfo::name, "As perf and gdb show it: `matmul{B=16,N=256}`.")
      .def_ro("handler", &VariantInfo::handler)
      .def_ro("configuration", &VariantInfo::configuration,
              "The settings that concern this handler.")
      .def_ro("code_bytes", &VariantInfo::code_bytes)
      .def_ro("resident_bytes", &VariantInfo::resident_bytes, "The size in memory, in whole pages.")
      .def_prop_ro(
          "compile_time",
          [](const VariantInfo &self) {
            return std::chrono::duration<double>(self.compile_time).count();
          },
          "Seconds spent on getting the code; 0 if it was in memory.")
      .def_ro("quick", &VariantInfo::quick, "Of the quick tier.")
      .def_ro("remarks", &VariantInfo::remarks,
              "A Remark for each request that changed nothing in the code.")
      .def_ro("fold_report", &VariantInfo::fold_report, "The effect of invariants.")
      .def("__repr__", [](const VariantInfo &self) { return "<VariantInfo " + self.name + ">"; });
  add_state(info);

  nb::class_<Statistics> statistics(module, "Statistics", "Counts of a runtime since its start.");
  statistics.def_ro("compiles", &Statistics::compiles, "Variants compiled, both tiers counted.")
      .def_ro("cache_hits", &Statistics::cache_hits)
      .def_ro("filled", &Statistics::filled)
      .def_ro("ahead_of_time", &Statistics::ahead_of_time)
      .def_ro("alike", &Statistics::alike)
      .def_ro("disk_hits", &Statistics::disk_hits)
      .def_ro("disk_misses", &Statistics::disk_misses)
      .def_ro("failures", &Statistics::failures, "Requests that ended in an error.")
      .def_ro("switches", &Statistics::switches)
      .def_ro("replugs", &Statistics::replugs)
      .def_ro("verified", &Statistics::verified, "Calls that were compared with native code.")
      .def_ro("differences", &Statistics::differences, "Variants that were quarantined.")
      .def_ro("reclaimed", &Statistics::reclaimed)
      .def_ro("variants", &Statistics::variants, "In memory now, retired ones included.")
      .def_ro("code_bytes", &Statistics::code_bytes, "In memory now.")
      .def_ro("resident_bytes", &Statistics::resident_bytes,
              "Their size in memory now, in whole pages.")
      .def_ro("guard_failures", &Statistics::guard_failures, "Since the start, by label.");
  add_state(statistics);
  add_repr(statistics, {"compiles", "cache_hits", "filled", "ahead_of_time", "alike", "disk_hits",
                        "disk_misses", "failures", "switches", "replugs", "verified", "differences",
                        "reclaimed", "variants", "code_bytes", "resident_bytes", "guard_failures"});
}

} // namespace

void bind_runtime(nb::module_ &module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  bind_variant(module);

  nb::class_<Runtime>(module, "Runtime", nb::is_weak_referenceable(),
                      R"(The handlers of a shared library, and the code made from them.

`module` is a shared library with handlers embedded by sartor_add_handler() in CMake, which is
loaded (for good) unless it is already, or a file of LLVM bitcode or text, whose symbols are looked
up in `library`, then among the program's dynamic symbols. Other Python threads run while a method
compiles; every method may be called from any thread. With SARTOR=off in the environment, handlers
are the native code for ever.

`verify` says which calls are compared with the native code: "on", "off", "all" or a Verification.
Variants that differ are quarantined in `state_directory`, and with `share_quarantine` also for
others that use the shared cache or the compile server.

Raises Error: file_error, no_handler_module, bad_bitcode, wrong_target, wrong_llvm_version,
conflicting_label, label_not_constant.)")
      .def(
          "__init__",
          [](Runtime *self, const Path &path, const std::optional<Path> &library,
             const Path &event_log, const std::string &perf, double compile_timeout,
             std::size_t compile_memory_bytes, std::size_t code_cache_bytes,
             const Path &cache_directory, std::uint64_t disk_cache_bytes,
             const std::string &shared_cache, const Path &shared_cache_password_file,
             const Path &shared_cache_ca_file, const Path &shared_cache_key,
             std::uint64_t shared_cache_bytes, bool shared_cache_read_only, bool quick_tier,
             bool exact_floats, bool lazy_opening, const WhatIsCompared &verify,
             const Path &state_directory, bool share_quarantine) {
            const Options options{.event_log = event_log,
                                  .perf = perf_names(perf),
                                  .compile_timeout = milliseconds(compile_timeout),
                                  .compile_memory_bytes = compile_memory_bytes,
                                  .code_cache_bytes = code_cache_bytes,
                                  .cache_directory = cache_directory,
                                  .disk_cache_bytes = disk_cache_bytes,
                                  .shared_cache = shared_cache,
                                  .shared_cache_password_file = shared_cache_password_file,
                                  .shared_cache_ca_file = shared_cache_ca_file,
                                  .shared_cache_key = shared_cache_key,
                                  .shared_cache_bytes = shared_cache_bytes,
                                  .shared_cache_read_only = shared_cache_read_only,
                                  .quick_tier = quick_tier,
                                  .exact_floats = exact_floats,
                                  .lazy_opening = lazy_opening,
                                  .verify = verification_of(verify),
                                  .state_directory = state_directory,
                                  .share_quarantine = share_quarantine};
            const nb::gil_scoped_release unlocked;
            new (self) Runtime(make_runtime(path, library, options));
          },
          nb::arg("module"), nb::arg("library") = nb::none(), nb::kw_only(),
          nb::arg("event_log") = "", nb::arg("perf") = "", nb::arg("compile_timeout") = 30.0,
          nb::arg("compile_memory_bytes") = Options().compile_memory_bytes,
          nb::arg("code_cache_bytes") = Options().code_cache_bytes, nb::arg("cache_directory") = "",
          nb::arg("disk_cache_bytes") = Options().disk_cache_bytes, nb::arg("shared_cache") = "",
          nb::arg("shared_cache_password_file") = "", nb::arg("shared_cache_ca_file") = "",
          nb::arg("shared_cache_key") = "",
          nb::arg("shared_cache_bytes") = Options().shared_cache_bytes,
          nb::arg("shared_cache_read_only") = false, nb::arg("quick_tier") = true,
          nb::arg("exact_floats") = false, nb::arg("lazy_opening") = false,
          nb::arg("verify") = "on", nb::arg("state_directory") = "",
          nb::arg("share_quarantine") = false)
      .def_prop_ro("active", &Runtime::active, "False with SARTOR=off.")
      .def_prop_ro("handlers", &Runtime::handlers, "Names of all handlers.")
      .def(
          "space", &Runtime::space,
          "The points with their possible settings and profiles, and the constraints between them.")
      .def("constrain", &Runtime::constrain, nb::arg("constraints"),
           "Sets the constraints between points; replaces the previous ones. Raises Error "
           "(unknown_label, bad_constraint, ...).")
      .def("specialize", &Runtime::specialize, nb::arg("configuration"), Unlocked(),
           nb::sig("def specialize(self, configuration: " SARTOR_PYTHON_CONFIGURATION
                   ") -> list[VariantInfo]"),
           "Activates a configuration for every handler, and returns when its fully optimised "
           "variants are active. `specialize({})` returns to the generic code. Raises errors of "
           "Space.check() and of compiling; then the previous configuration stays active.")
      .def(
          "prepare",
          [](Runtime &self, const Configuration &configuration) {
            return self.prepare(configuration).get();
          },
          nb::arg("configuration"), Unlocked(),
          nb::sig("def prepare(self, configuration: " SARTOR_PYTHON_CONFIGURATION
                  ") -> list[VariantInfo]"),
          "Compiles a configuration into the cache, without activating it.")
      .def_prop_ro("configuration", &Runtime::configuration,
                   "The active configuration, or the last requested one that is being compiled.")
      .def("function", &function, nb::arg("handler"), Unlocked(),
           "The address of a plain function that never changes and calls the active variant: "
           "for ctypes.CFUNCTYPE(...). Valid as long as the Runtime. Raises Error "
           "(unknown_handler).")
      .def("bind", &make_binding, nb::arg("handler"), nb::arg("arguments"),
           nb::sig("def bind(self, handler: str, arguments: dict[int, typing.Any]) -> Binding"),
           "A handler with some arguments fixed. `arguments`: index of the parameter to an int (a "
           "number or an address), a float, or an object whose bytes it is (a ctypes.Structure). "
           "Raises Error (unknown_handler, bad_binding).")
      .def(
          "limit_bindings",
          [](Runtime &self, const std::string &handler, std::size_t most,
             std::vector<unsigned> least_selective_first) {
            self.limit_bindings(handler, most, std::move(least_selective_first));
          },
          nb::arg("handler"), nb::arg("most"),
          nb::arg("least_selective_first") = std::vector<unsigned>(), Unlocked(),
          "How many contexts with bound arguments a handler may have at once. Past that, new "
          "bindings know fewer of their arguments. Raises Error (unknown_handler, bad_binding).")
      .def("tie", &tie, nb::arg("label"), nb::arg("invariant"),
           nb::sig("def tie(self, label: str, invariant: Invariant) -> None"),
           "Results of a fast path are valid as long as `invariant` is. Raises Error "
           "(unknown_label, "
           "bad_invariant, called_from_handler).")
      .def("instrument", &Runtime::instrument, nb::arg("every"), Unlocked(),
           "Counts what points see, by label: every n-th time that control comes by; 1 is every "
           "time. Replaces what was instrumented before; `instrument({})` switches it off. Raises "
           "Error (unknown_label, bad_value_type, point_not_specializable, ...).")
      .def("profile", &Runtime::profile, Unlocked(),
           "The counts of all threads since the start or the last clear_profile(), with loaded "
           "profiles.")
      .def("load_profile", &Runtime::load_profile, nb::arg("profile"), Unlocked(),
           "Adds a profile of another process. Raises Error (wrong_profile).")
      .def("clear_profile", &Runtime::clear_profile, Unlocked())
      .def("statistics", &Runtime::statistics)
      .def("log_event", &Runtime::log_event, nb::arg("kind"), nb::arg("fields") = "{}",
           "Writes a line to the event log, if there is one; `fields` is a JSON object's text.")
      .def(
          "__enter__", [](nb::object self) { return self; },
          nb::sig("def __enter__(self) -> Runtime"))
      .def("__exit__", &leave, nb::sig("def __exit__(self, *exception: object) -> None"),
           "Activates the native code and stops counting. Addresses of functions stay "
           "valid as long as the Runtime.");
}

} // namespace sartor::python

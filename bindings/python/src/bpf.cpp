// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Handlers in the kernel: a separate extension module, because libsartor-bpf needs libbpf.
#include <chrono>
#include <memory>
#include <mutex>

#include <nanobind/stl/function.h>

#include <sartor/bpf/runtime.hpp>

#include "buffer.h"
#include "convert.h"
#include "value_type.h"
#include "verification.h"

namespace sartor::python {

namespace {

using Path = std::filesystem::path;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

#define SARTOR_PYTHON_BYTES "bytes | bytearray | memoryview | ctypes.Structure"

/// The runtime as Python sees it. It may be closed while other threads use it; their current calls
/// still complete.
class Handlers {
public:
  explicit Handlers(BpfRuntime runtime)
      : runtime_(std::make_shared<BpfRuntime>(std::move(runtime))) {}

  [[nodiscard]] std::shared_ptr<BpfRuntime> get() const {
    const std::lock_guard lock(mutex_);
    if (!runtime_)
      throw Error({ErrorCode::bad_argument, "BpfRuntime", "is closed", "open the object again"});
    return runtime_;
  }
  void close() {
    std::shared_ptr<BpfRuntime> closed;
    const std::lock_guard lock(mutex_);
    closed.swap(runtime_);
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<BpfRuntime> runtime_;
};

BpfOptions options_of(const std::string &name, const Path &pins, double compile_timeout,
                      const WhatIsCompared &verify, const std::vector<nb::bytes> &packets) {
  BpfOptions options;
  options.name = name;
  options.pins = pins;
  options.compile_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(compile_timeout * 1000));
  options.verify = verification_of(verify);
  for (const nb::bytes &packet : packets)
    options.packets.emplace_back(packet.c_str(), packet.size());
  return options;
}

BpfWriters writers_of(const std::string &text) {
  for (const BpfWriters writers : {BpfWriters::ours, BpfWriters::watched, BpfWriters::polled})
    if (to_string(writers) == text)
      return writers;
  throw nb::value_error(R"(writers: write "ours", "watched" or "polled")");
}

std::string_view bytes_of(const Buffer &buffer) {
  return {static_cast<const char *>(buffer.memory()), buffer.bytes()};
}

void update(const Handlers &self, const std::string &map, nb::handle key, nb::handle value) {
  const Buffer of_key(key);
  const Buffer of_value(value);
  const nb::gil_scoped_release unlocked;
  self.get()->update(map, bytes_of(of_key), bytes_of(of_value));
}

void erase(const Handlers &self, const std::string &map, nb::handle key) {
  const Buffer of_key(key);
  const nb::gil_scoped_release unlocked;
  self.get()->erase(map, bytes_of(of_key));
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

} // namespace

} // namespace sartor::python

namespace sartor {

inline auto python_members(BpfVariant &it) {
  return std::tie(it.name, it.handler, it.configuration, it.program, it.instructions,
                  it.verified_instructions, it.native_bytes, it.compile_time, it.load_time,
                  it.remarks, it.compared, it.not_compared);
}
inline auto python_members(BpfMap &it) {
  return std::tie(it.name, it.key_bytes, it.value_bytes, it.max_entries, it.read_mostly,
                  it.invariant_writers, it.sees_programs, it.other_programs);
}

} // namespace sartor

namespace sartor::python {

namespace {

void bind_reported(nb::module_ &module) {
  nb::class_<BpfVariant> variant(module, "BpfVariant", "A handler's program in the kernel.");
  variant
      .def_ro("name", &BpfVariant::name,
              "As `bpftool prog` shows it, which cuts it after 15 characters.")
      .def_ro("handler", &BpfVariant::handler)
      .def_ro("configuration", &BpfVariant::configuration,
              "The settings that concern this handler; empty: generic.")
      .def_ro("program", &BpfVariant::program, "The kernel's number of the program.")
      .def_ro("instructions", &BpfVariant::instructions, "The number of BPF instructions.")
      .def_ro("verified_instructions", &BpfVariant::verified_instructions,
              "The number of instructions that the verifier has visited.")
      .def_ro("native_bytes", &BpfVariant::native_bytes, "The size of the machine code.")
      .def_prop_ro(
          "compile_time", [](const BpfVariant &self) { return seconds(self.compile_time); },
          "Seconds, to specialize, optimise and generate code.")
      .def_prop_ro(
          "load_time", [](const BpfVariant &self) { return seconds(self.load_time); },
          "Seconds, to verify it, and to make machine code of it.")
      .def_ro("remarks", &BpfVariant::remarks, "A Remark for each request that changed nothing.")
      .def_ro("compared", &BpfVariant::compared,
              "The number of packets for which it was compared with the generic program.")
      .def_prop_ro(
          "not_compared",
          [](const BpfVariant &self) -> std::optional<std::string> {
            if (!self.not_compared)
              return std::nullopt;
            return std::string(to_string(*self.not_compared));
          },
          "The reason why it was not compared: \"off\", \"program_type\", \"effects\", "
          "\"unguarded\", \"maps\", \"undetermined\"; None if it was.")
      .def("__repr__", [](const BpfVariant &self) { return "<BpfVariant " + self.name + ">"; });
  add_state(variant);

  nb::class_<BpfMap> map(module, "BpfMap", "A map of an object's.");
  map.def_ro("name", &BpfMap::name)
      .def_ro("key_bytes", &BpfMap::key_bytes)
      .def_ro("value_bytes", &BpfMap::value_bytes)
      .def_ro("max_entries", &BpfMap::max_entries)
      .def_ro("read_mostly", &BpfMap::read_mostly, "It is marked SARTOR_READ_MOSTLY.")
      .def_prop_ro(
          "invariant_writers",
          [](const BpfMap &self) {
            return self.invariant_writers
                       ? std::optional(std::string(to_string(*self.invariant_writers)))
                       : std::nullopt;
          },
          "Its possible writers: \"ours\", \"watched\" or \"polled\".")
      .def_ro("sees_programs", &BpfMap::sees_programs,
              "Of a watched one: changes by other programs are seen, too.")
      .def_ro("other_programs", &BpfMap::other_programs,
              "Programs of others that use it: these might write to values.");
  add_state(map);
  add_repr(map, {"name", "key_bytes", "value_bytes", "max_entries", "read_mostly",
                 "invariant_writers", "sees_programs", "other_programs"});
}

void bind_attachments(nb::class_<Handlers> &type) {
  type.def(
          "attach_xdp",
          [](const Handlers &self, const std::string &handler, const std::string &interface) {
            self.get()->attach_xdp(handler, interface);
          },
          nb::arg("handler"), nb::arg("interface"), Unlocked(),
          "From now on the kernel calls the active variant. Raises Error (bad_attachment, "
          "kernel_lacks), as all of these do.")
      .def(
          "attach_tc",
          [](const Handlers &self, const std::string &handler, const std::string &interface,
             bool egress) { self.get()->attach_tc(handler, interface, egress); },
          nb::arg("handler"), nb::arg("interface"), nb::arg("egress") = false, Unlocked(),
          "To the tcx hook of an interface (Linux 6.6).")
      .def(
          "attach_cgroup",
          [](const Handlers &self, const std::string &handler, const Path &group) {
            self.get()->attach_cgroup(handler, group);
          },
          nb::arg("handler"), nb::arg("group"), Unlocked(),
          "`group`: a directory of the control groups' file system.")
      .def(
          "attach_socket",
          [](const Handlers &self, const std::string &handler, int socket) {
            self.get()->attach_socket(handler, socket);
          },
          nb::arg("handler"), nb::arg("socket"), Unlocked(),
          "As a filter of a socket, by its number (`fileno()`); it stays the caller's.")
      .def(
          "attach_slot",
          [](const Handlers &self, const std::string &handler, const std::string &map,
             std::uint32_t index) { self.get()->attach_slot(handler, map, index); },
          nb::arg("handler"), nb::arg("map"), nb::arg("index"), Unlocked(),
          "Into a slot of a program array of the object's, for tail calls.")
      .def(
          "detach",
          [](const Handlers &self, const std::string &handler) { self.get()->detach(handler); },
          nb::arg("handler"), Unlocked(), "Removes all attachments of a handler, and their pins.");
}

void bind_maps(nb::class_<Handlers> &type) {
  type.def(
          "declare_invariant",
          [](const Handlers &self, const std::string &map, const std::string &writers) {
            self.get()->declare_invariant(map, writers_of(writers));
          },
          nb::arg("map"), nb::arg("writers") = "watched", Unlocked(),
          nb::sig(
              "def declare_invariant(self, map: str, writers: typing.Literal['ours', 'watched', "
              "'polled'] = 'watched') -> None"),
          "A read-mostly map's content seldom changes: from the next specialize() or refresh() on "
          "it is part of variants. Raises Error (bad_invariant, kernel_lacks).")
      .def(
          "revoke", [](const Handlers &self, const std::string &map) { self.get()->revoke(map); },
          nb::arg("map"), Unlocked())
      .def("update", &update, nb::arg("map"), nb::arg("key"), nb::arg("value"),
           nb::sig("def update(self, map: str, key: " SARTOR_PYTHON_BYTES
                   ", value: " SARTOR_PYTHON_BYTES ") -> None"),
           "Changes a map, invariant or not. Raises Error (bad_bpf_object).")
      .def("erase", &erase, nb::arg("map"), nb::arg("key"),
           nb::sig("def erase(self, map: str, key: " SARTOR_PYTHON_BYTES ") -> None"))
      .def(
          "refresh", [](const Handlers &self) { return self.get()->refresh(); }, Unlocked(),
          "Rebuilds variants that depend on changed maps. Returns True if there were any.")
      .def(
          "maps", [](const Handlers &self) { return self.get()->maps(); }, Unlocked())
      .def(
          "map",
          [](const Handlers &self, const std::string &name) { return self.get()->map(name); },
          nb::arg("name"), "A map's descriptor, which is this object's.");
}

void bind_runtime(nb::module_ &module) {
  nb::class_<Handlers> type(module, "BpfRuntime",
                            R"(Handlers that run in Linux: the points of a BPF object file.

`path` is an object file that was compiled with Sartor's plugin (sartor_add_bpf_handler() in CMake).
It is loaded as it is, and is generic; variants are further programs that share its maps and
variables. `pins` is a directory in a mounted bpffs, in which maps and attachments are pinned: the
active variant stays attached when the process ends. Everything else ends with close(), or with the
process. Before a variant is attached, it is compared with the generic program: on as many packets
as `verify` has first calls, and on `packets`. Every method may be called from any thread; other
Python threads run meanwhile.

Raises Error: file_error, bad_bpf_object, no_handler_module, not_permitted, kernel_lacks.)");
  type.def(
          "__init__",
          [](Handlers *self, const Path &path, const std::string &name, const Path &pins,
             double compile_timeout, const WhatIsCompared &verify,
             const std::vector<nb::bytes> &packets, const Path &event_log,
             const Path &state_directory) {
            BpfOptions options = options_of(name, pins, compile_timeout, verify, packets);
            options.event_log = event_log;
            options.state_directory = state_directory;
            const nb::gil_scoped_release unlocked;
            new (self) Handlers(BpfRuntime::open_file(path, std::move(options)));
          },
          nb::arg("path"), nb::kw_only(), nb::arg("name") = "handlers", nb::arg("pins") = "",
          nb::arg("compile_timeout") = 10.0, nb::arg("verify") = "on",
          nb::arg("packets") = std::vector<nb::bytes>(), nb::arg("event_log") = "",
          nb::arg("state_directory") = "")
      .def(
          "close", [](Handlers &self) { self.close(); }, Unlocked(),
          "Removes programs that are not pinned. May be called again.")
      .def("space", [](const Handlers &self) { return self.get()->space(); })
      .def_prop_ro(
          "handlers", [](const Handlers &self) { return self.get()->handlers(); },
          "Where all stays generic, all programs of the object.")
      .def(
          "specialize",
          [](const Handlers &self, const Configuration &configuration) {
            return self.get()->specialize(configuration);
          },
          nb::arg("configuration"), Unlocked(),
          nb::sig("def specialize(self, configuration: sartor._sartor.Configuration | "
                  "dict[str, typing.Any]) -> list[BpfVariant]"),
          "Activates variants of all handlers that a setting or an invariant concerns; others "
          "become generic. All of them change, or none. Returns the active variants. Raises "
          "Error, also refused_by_verifier.")
      .def(
          "instrument",
          [](const Handlers &self, const std::vector<std::string> &labels, unsigned every) {
            self.get()->instrument(labels, every);
          },
          nb::arg("labels"), nb::arg("every") = 100U, Unlocked(),
          "Profiles the points with these labels only, one call in `every` on average. Counts "
          "stay.")
      .def(
          "profile", [](const Handlers &self) { return self.get()->profile(); }, Unlocked(),
          "The profile since the object was opened, or since the last clear_profile().")
      .def(
          "clear_profile", [](const Handlers &self) { self.get()->clear_profile(); }, Unlocked(),
          "Clears the profile.")
      .def(
          "autotune",
          [](const Handlers &self, const std::vector<Configuration> &candidates,
             const std::function<double()> &score, double error_probability, double tolerance,
             std::size_t most_samples, std::uint64_t seed) {
            return self.get()->autotune(candidates, score,
                                        {error_probability, tolerance, most_samples, seed});
          },
          nb::arg("candidates"), nb::arg("score"), nb::kw_only(),
          nb::arg("error_probability") = RaceOptions().error_probability,
          nb::arg("tolerance") = RaceOptions().tolerance,
          nb::arg("most_samples") = RaceOptions().most_samples,
          nb::arg("seed") = RaceOptions().seed, Unlocked(),
          "Tries configurations in turn while packets flow, compared with the active variants and "
          "generic code, and activates the best. `score` is called while each is active, and "
          "returns how well the system does: higher is better. Decides as race() does. An "
          "exception in `score` ends it, and the previous variants have been restored.")
      .def(
          "guard_failures",
          [](const Handlers &self, const std::string &label) {
            return self.get()->guard_failures(label);
          },
          nb::arg("label"), Unlocked(),
          "How often guards of a label have failed, in all variants that have been active.")
      .def(
          "active",
          [](const Handlers &self, const std::string &handler) {
            return self.get()->active(handler);
          },
          nb::arg("handler"), Unlocked(), "Raises Error (unknown_handler).")
      .def(
          "program",
          [](const Handlers &self, const std::string &handler) {
            return self.get()->program(handler);
          },
          nb::arg("handler"), Unlocked(),
          "The descriptor of the active variant; this object owns it. Valid until the next "
          "change.")
      .def(
          "generic_program",
          [](const Handlers &self, const std::string &handler) {
            return self.get()->generic_program(handler);
          },
          nb::arg("handler"), Unlocked())
      .def(
          "__enter__", [](nb::object self) { return self; },
          nb::sig("def __enter__(self) -> BpfRuntime"))
      .def(
          "__exit__", [](Handlers &self, const nb::args &) { self.close(); },
          nb::sig("def __exit__(self, *exception: object) -> None"), "As close().");
  bind_maps(type);
  bind_attachments(type);
}

} // namespace

} // namespace sartor::python

NB_MODULE(_bpf, module) {
  // The types and errors of _sartor are used here too.
  nanobind::module_::import_("sartor._sartor");
  module.doc() = "What libsartor-bpf offers; import it from the package `sartor`.";
  sartor::python::bind_reported(module);
  sartor::python::bind_runtime(module);
}

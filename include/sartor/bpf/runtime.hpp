// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_RUNTIME_HPP
#define SARTOR_BPF_RUNTIME_HPP

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/error.hpp>
#include <sartor/generator.hpp>
#include <sartor/options.hpp>
#include <sartor/profile.hpp>
#include <sartor/race.hpp>
#include <sartor/remark.hpp>
#include <sartor/space.hpp>

struct bpf_object; // of libbpf

namespace sartor {

struct BpfOptions {
  /// Used in messages, and as a prefix of the names of the object's own maps.
  std::string name = "handlers";
  /// A directory in a mounted bpffs, created if missing. Maps and attachments are pinned in it: the
  /// active variants stay active when the process ends, and a process that opens the same object
  /// with the same directory continues with them. Empty: everything is removed with the process.
  std::filesystem::path pins = {};
  /// Limit of the processor time of one variant's compilation.
  std::chrono::milliseconds compile_timeout = std::chrono::seconds(10);
  /// Comparison of each variant with the generic program, before it is attached, on as many
  /// generated packets as `first_calls`, in test runs of the kernel on copies of the maps. The
  /// other fields do not matter. The environment has precedence, as for Options: SARTOR_VERIFY.
  Verification verify = {};
  /// Packets that are used in addition to the generated ones; 14 bytes at least.
  std::vector<std::string> packets = {};
  /// As of Options, with SARTOR_EVENT_LOG.
  std::filesystem::path event_log = {};
  /// As of Options, with SARTOR_STATE_DIR.
  std::filesystem::path state_directory = {};
};

/// The reason why a variant is not compared with the generic program.
enum class BpfNotCompared : std::uint8_t {
  off,          ///< BpfOptions::verify.
  program_type, ///< The kernel has no test runs of this type of program.
  effects,      ///< A test run would have effects other than on maps and on the packet.
  unguarded,    ///< A setting is not guarded: the generic program may use other values.
  maps,         ///< The maps cannot be copied, or are too large.
  undetermined, ///< The generic program uses random numbers, or does not agree with itself.
  kLast = undetermined,
};
std::string_view to_string(BpfNotCompared reason);

/// A handler's program in the kernel.
struct BpfVariant {
  std::string name; ///< As shown by `bpftool prog`, which truncates it to 15 characters.
  std::string handler;
  Configuration configuration;    ///< The settings that concern this handler; empty: generic.
  std::uint32_t program = 0;      ///< The kernel's program number.
  std::uint32_t instructions = 0; ///< Number of BPF instructions.
  std::uint32_t verified_instructions = 0; ///< Number that the verifier has walked through.
  std::uint32_t native_bytes = 0;          ///< Size of the machine code.
  std::chrono::nanoseconds compile_time{}; ///< Time to specialize, optimize and generate code.
  std::chrono::nanoseconds load_time{}; ///< Time to verify it, and to translate it to machine code.
  /// Requests that had no effect, or less than the full effect.
  std::vector<Remark> remarks = {};
  /// Number of packets for which it was compared with the generic program.
  unsigned compared = 0;
  std::optional<BpfNotCompared> not_compared = {}; ///< Empty if it was, and for generic programs.
};

/// The possible writers of an invariant map, and how changes are detected.
enum class BpfWriters : std::uint8_t {
  /// This process, through BpfRuntime::update() and erase(), and the programs of the object.
  ours,
  /// Any process or program. Programs at the kernel's own functions detect changes (fentry; Linux
  /// 5.5 with BTF). If these cannot be attached, programs at system calls do, which cost all
  /// processes some time and do not detect changes by other programs. Values that other programs
  /// write in place are not detected: maps() names such programs.
  watched,
  /// Any process or program; BpfRuntime::refresh() detects changes. Until then, variants use the
  /// earlier content. Not with pins: no process would check any more when this one has ended.
  polled,
};
std::string_view to_string(BpfWriters writers);

/// A map of an object.
struct BpfMap {
  std::string name;
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;
  std::uint32_t max_entries = 0;
  bool read_mostly = false; ///< True if it is marked SARTOR_READ_MOSTLY.
  std::optional<BpfWriters> invariant_writers = {};
  bool sees_programs = false; ///< If watched: changes by other programs are detected, too.
  /// Programs of others that use it, as named by `bpftool prog`: these might write to values.
  std::vector<std::string> other_programs = {};
};

/// Handlers that run in Linux, as BPF programs: the points of an object file that was compiled with
/// Sartor's plugin (`sartor_add_bpf_handler()`). The object is loaded unchanged, and is generic;
/// variants are further programs that share its maps and variables. The kernel exchanges the
/// program that an attachment calls without a gap, and frees the old one when no thread runs it any
/// more.
///
/// Thread-safe. Throws Error: not_permitted if this process lacks the rights, kernel_lacks if the
/// kernel is too old, refused_by_verifier if it does not accept a variant, quarantined if a variant
/// differs from the generic program in test runs. Active variants stay active then. With
/// SARTOR=off, or without a compiler, everything stays generic, as for Runtime.
class BpfRuntime {
public:
  /// `object` is the content of an object file. Throws bad_bpf_object, no_handler_module, too.
  static BpfRuntime open(std::string_view object, BpfOptions options = {});
  /// Throws file_error, too.
  static BpfRuntime open_file(const std::filesystem::path &path, BpfOptions options = {});
  /// Adopts an object that the program has opened and loaded itself, by libbpf or a skeleton of
  /// `bpftool gen skeleton`: `bytes` are those that it was opened from (a skeleton's
  /// `NAME__elf_bytes()`). The caller keeps ownership of `object`, which must stay loaded as long
  /// as the runtime. Programs that it has not loaded are no handlers. Throws bad_bpf_object,
  /// no_handler_module, and bad_argument with pins, which only the caller may make.
  static BpfRuntime adopt(bpf_object *object, std::string_view bytes, BpfOptions options = {});
  ~BpfRuntime();
  BpfRuntime(BpfRuntime &&) noexcept;
  BpfRuntime &operator=(BpfRuntime &&) noexcept;

  [[nodiscard]] const Space &space() const;
  /// If everything stays generic: the names of all programs of the object.
  [[nodiscard]] std::vector<std::string> handlers() const;

  /// Activates variants for all handlers that can reach a point which is set; others, and all with
  /// an empty configuration, become generic. All of them change, or none. Returns the active
  /// variants. Throws the errors of Runtime::specialize().
  std::vector<BpfVariant> specialize(const Configuration &configuration);
  /// Instruments the active variants: they profile the points with these labels, one call in
  /// `every` (at least 1) on average; all other points are not profiled any more. Counts are kept.
  void instrument(const std::vector<std::string> &labels, unsigned every = 100);
  /// The profile since the object was opened, or the last clear_profile().
  [[nodiscard]] Profile profile() const;
  /// Clears the profile: useful when traffic has changed and earlier frequent values are obsolete.
  void clear_profile();
  /// Number of failed guards of a label, in all variants that have been active.
  [[nodiscard]] std::uint64_t guard_failures(std::string_view label) const;

  /// Declares that a read-mostly map's content seldom changes: from the next specialize() or
  /// refresh() on it is part of variants. These check its version when they are entered; if it has
  /// changed they behave as generic code does. Throws bad_invariant if its content cannot be
  /// folded, kernel_lacks if changes could not be detected.
  void declare_invariant(const std::string &map, BpfWriters writers = BpfWriters::watched);
  void revoke(const std::string &map);
  /// Changes a map, invariant or not: `key` and `value` are bytes of the map's sizes. Throws
  /// bad_bpf_object.
  void update(const std::string &map, std::string_view key, std::string_view value);
  void erase(const std::string &map, std::string_view key);
  template <class Key, class Value>
  void update(const std::string &map, const Key &key, const Value &value) {
    update(map, bytes_of(key), bytes_of(value));
  }
  /// Declares that a label's code was made from a map's content, by a generator of a custom point:
  /// variants that set it check that map's version, too. The map must be declared invariant before
  /// such a variant is made. Throws unknown_label, bad_bpf_object.
  void tie(const std::string &label, const std::string &map);
  /// See Runtime::add_custom(). The generator may call this object's map() only; it may call no
  /// functions of the program, and its tables are constants of the variant.
  void add_custom(const std::string &kind, Generator generator, std::vector<Value> choices = {1});
  /// Tries configurations in turn while packets flow, together with the active one and generic
  /// code, and leaves the best active; of equals, the one that was active before. `score` is called
  /// with each active, measures over a window of its own, and returns a score: higher is better
  /// (rate_of()). Decides as race() does. A configuration that cannot be made is skipped. Returns
  /// the active configuration. Rethrows exceptions of `score` after the previous configuration has
  /// been restored. The active configuration must not be changed meanwhile.
  Configuration autotune(const std::vector<Configuration> &candidates,
                         const std::function<double()> &score, RaceOptions options = {});
  /// Recompiles variants that depend on maps that have changed; true if there were any. Call it now
  /// and then; meanwhile, such variants are correct, and no faster than generic code.
  bool refresh();
  [[nodiscard]] std::vector<BpfMap> maps() const;

  /// The active variant of a handler.
  [[nodiscard]] BpfVariant active(const std::string &handler) const;
  /// File descriptors of the active variant, of generic code, and of a map (of variables: `.data`,
  /// `.bss`). This object owns them: valid as long as it is, the first until the next change.
  [[nodiscard]] int program(const std::string &handler) const;
  [[nodiscard]] int generic_program(const std::string &handler) const;
  [[nodiscard]] int map(const std::string &name) const;

  /// Attaches a handler: from now on the kernel calls the active variant. The handler's section
  /// determines what it may be attached to: `xdp`, `tc`, `cgroup_skb/ingress` and the like,
  /// `socket`. Throws bad_attachment if the attachment point is taken or does not exist.
  void attach_xdp(const std::string &handler, const std::string &interface);
  /// Attaches to the tcx hook of an interface (Linux 6.6).
  void attach_tc(const std::string &handler, const std::string &interface, bool egress = false);
  /// `group` is a directory of the control groups' file system.
  void attach_cgroup(const std::string &handler, const std::filesystem::path &group);
  /// Attaches as a filter of a socket, which the caller keeps.
  void attach_socket(const std::string &handler, int socket);
  /// Inserts into a slot of a program array of the object, for tail calls.
  void attach_slot(const std::string &handler, const std::string &map, std::uint32_t index);
  /// Attaches at a link that the caller has made, for any kind of program whose links can be
  /// updated to another program: the link gets the active variant from now on, and generic code
  /// when it is detached, or this object is destroyed. The caller keeps `link`, and must keep it
  /// open.
  void attach_link(const std::string &handler, int link);
  /// Removes all attachments of a handler, and their pins; links stay, with generic code.
  void detach(const std::string &handler);

private:
  template <class T> static std::string_view bytes_of(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return {reinterpret_cast<const char *>(&value), sizeof value};
  }

  struct Impl;
  explicit BpfRuntime(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A score for autotune(): the growth per second of a counter, of a map or of a device, measured by
/// waiting for `window`.
std::function<double()> rate_of(std::function<std::uint64_t()> counter,
                                std::chrono::nanoseconds window = std::chrono::milliseconds(20));

} // namespace sartor

#endif

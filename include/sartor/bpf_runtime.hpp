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

#include <sartor/builder.hpp>
#include <sartor/configuration.hpp>
#include <sartor/error.hpp>
#include <sartor/profile.hpp>
#include <sartor/race.hpp>
#include <sartor/remark.hpp>
#include <sartor/space.hpp>

struct bpf_object; // libbpf's

namespace sartor {

struct BpfOptions {
  /// For messages, and in front of the names of the object's own maps.
  std::string name = "handlers";
  /// A directory in a mounted bpffs, made where it is missing. Maps and attachments are pinned in
  /// it: what is in force stays there when the process ends, and who opens the same object with
  /// the same directory goes on with it. Empty: all goes with the process.
  std::filesystem::path pins = {};
  /// Of the processor time of one variant's compile.
  std::chrono::milliseconds compile_timeout = std::chrono::seconds(10);
};

/// A handler's program in the kernel.
struct BpfVariant {
  std::string name; ///< As `bpftool prog` shows it, which cuts it after 15 characters.
  std::string handler;
  Configuration configuration;    ///< The settings that concern this handler; empty: generic.
  std::uint32_t program = 0;      ///< The kernel's number of it.
  std::uint32_t instructions = 0; ///< Of BPF.
  std::uint32_t verified_instructions = 0; ///< That the verifier has walked through.
  std::uint32_t native_bytes = 0;          ///< Of machine code.
  std::chrono::nanoseconds compile_time{}; ///< To specialize, optimise and generate code.
  std::chrono::nanoseconds load_time{};    ///< To verify it, and to make machine code of it.
  /// What was asked for and changed nothing, or less than was asked for.
  std::vector<Remark> remarks = {};
};

/// Who may change a map whose content is promised, and how it is noticed.
enum class BpfWriters : std::uint8_t {
  /// This process, by BpfRuntime::update() and erase(), and the programs of the object.
  ours,
  /// Anybody: programs at the kernel's own functions see it (fentry; Linux 5.5 with BTF) or, where
  /// these may not be looked at, programs at system calls, which all processes then pay some time
  /// for, and which do not see other programs' changes. Values that programs of others write to in
  /// place are not seen: maps() names such programs.
  watched,
  /// Anybody; BpfRuntime::refresh() looks. Until it has, variants go by what was there before. Not
  /// with pins: nobody would look any more when the process has ended.
  polled,
};
std::string_view to_string(BpfWriters writers);

/// A map of an object's.
struct BpfMap {
  std::string name;
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;
  std::uint32_t max_entries = 0;
  bool read_mostly = false; ///< It is marked SARTOR_READ_MOSTLY.
  std::optional<BpfWriters> promised = {};
  bool sees_programs = false; ///< Of a watched one: changes by other programs are seen, too.
  /// Programs of others that use it, as `bpftool prog` names them: these might write to values.
  std::vector<std::string> other_programs = {};
};

/// Handlers that run in Linux, as BPF programs: the points of an object file that was compiled with
/// Sartor's plugin (`sartor_add_bpf_handler()`). The object is loaded as it is, and is generic;
/// variants are further programs that share its maps and variables. The program that an attachment
/// calls is exchanged by the kernel, without a gap; the kernel frees the old one when nobody runs
/// it any more.
///
/// Thread-safe. Throws Error: not_permitted where this process may not, kernel_lacks where the
/// kernel is too old, refused_by_verifier where it does not take a variant. What is in force stays
/// then. With SARTOR=off, or without a compiler at hand, all stays generic, as for Runtime.
class BpfRuntime {
public:
  /// `object`: the bytes of an object file. Throws bad_bpf_object, no_handler_module, too.
  static BpfRuntime open(std::string_view object, BpfOptions options = {});
  /// Throws file_error, too.
  static BpfRuntime open_file(const std::filesystem::path &path, BpfOptions options = {});
  /// One that the program has opened and loaded itself, by libbpf or a skeleton of `bpftool gen
  /// skeleton`: `bytes` are those that it was opened from (a skeleton's `NAME__elf_bytes()`).
  /// `object` stays the caller's, loaded, until this is gone. Programs that it has not loaded are
  /// no handlers. Throws bad_bpf_object, no_handler_module, and bad_argument with pins, which are
  /// the caller's to make.
  static BpfRuntime adopt(bpf_object *object, std::string_view bytes, BpfOptions options = {});
  ~BpfRuntime();
  BpfRuntime(BpfRuntime &&) noexcept;
  BpfRuntime &operator=(BpfRuntime &&) noexcept;

  [[nodiscard]] const Space &space() const;
  /// Where all stays generic, all programs of the object.
  [[nodiscard]] std::vector<std::string> handlers() const;

  /// Puts variants into force for all handlers that can reach a point which is set; others, and
  /// all with an empty configuration, become generic. All of them change, or none. Returns what is
  /// in force then. Throws what Runtime::specialize() does.
  std::vector<BpfVariant> specialize(const Configuration &configuration);
  /// Has what is in force profile the points with these labels, a call in `every` (which is at
  /// least 1) on average; all others are not profiled any more. Counts stay.
  void instrument(const std::vector<std::string> &labels, unsigned every = 100);
  /// What has been seen since the object was opened, or the last clear_profile().
  [[nodiscard]] Profile profile() const;
  /// Forgets that: what was frequent before traffic changed need not be any more.
  void clear_profile();
  /// How often guards of a label have failed, in all variants that have been in force.
  [[nodiscard]] std::uint64_t guard_failures(std::string_view label) const;

  /// Promises that a read-mostly map's content seldom changes: from the next specialize() or
  /// refresh() on it is part of variants. These look at its version when they are entered; if that
  /// is another one they do what generic code does. Throws bad_invariant where its content cannot
  /// fold, kernel_lacks where nobody would see who changes it.
  void promise(const std::string &map, BpfWriters writers = BpfWriters::watched);
  void take_back(const std::string &map);
  /// Changes a map, promised or not: `key` and `value` are bytes of the map's sizes. Throws
  /// bad_bpf_object.
  void update(const std::string &map, std::string_view key, std::string_view value);
  void erase(const std::string &map, std::string_view key);
  template <class Key, class Value>
  void update(const std::string &map, const Key &key, const Value &value) {
    update(map, bytes_of(key), bytes_of(value));
  }
  /// A label's code was made from a map's content, by a generator of a custom point: variants that
  /// set it look at that map's version, too. To be promised before such a variant is made. Throws
  /// unknown_label, bad_bpf_object.
  void tie(const std::string &label, const std::string &map);
  /// See Runtime::add_custom(). The generator may call this object's map() only; it may call no
  /// functions of the program, and its tables are constants of the variant's.
  void add_custom(const std::string &kind, Generator generator, std::vector<Value> choices = {1});
  /// Tries configurations in turn while packets flow, beside what is in force and generic code, and
  /// leaves the best in force; of equals, what was there before. `score` is called with each in
  /// force, and returns how well the system does, over a window of its own: higher is better
  /// (rate_of()). Decides as race() does. Where one cannot be made it is left out. Returns what is
  /// in force then, and throws what `score` throws, with what was in force before in force again.
  /// Nothing else may change what is in force meanwhile.
  Configuration autotune(const std::vector<Configuration> &candidates,
                         const std::function<double()> &score, RaceOptions options = {});
  /// Makes anew what leans on maps that have changed. Whether there was any. To be called now and
  /// then; meanwhile, such variants are right, and no faster than generic code.
  bool refresh();
  [[nodiscard]] std::vector<BpfMap> maps() const;

  /// What is in force for a handler.
  [[nodiscard]] BpfVariant in_force(const std::string &handler) const;
  /// Descriptors of what is in force, of generic code, and of a map (of variables: `.data`,
  /// `.bss`). They are this object's: valid as long as it is, the first until the next change.
  [[nodiscard]] int program(const std::string &handler) const;
  [[nodiscard]] int generic_program(const std::string &handler) const;
  [[nodiscard]] int map(const std::string &name) const;

  /// Attaches a handler: from now on the kernel calls what is in force. The handler's section says
  /// what it may be attached to: `xdp`, `tc`, `cgroup_skb/ingress` and the like, `socket`. Throws
  /// bad_attachment where somebody else is there, or there is no such place.
  void attach_xdp(const std::string &handler, const std::string &interface);
  /// To the tcx hook of an interface (Linux 6.6).
  void attach_tc(const std::string &handler, const std::string &interface, bool egress = false);
  /// `group`: a directory of the control groups' file system.
  void attach_cgroup(const std::string &handler, const std::filesystem::path &group);
  /// As a filter of a socket, which stays the caller's.
  void attach_socket(const std::string &handler, int socket);
  /// Into a slot of a program array of the object's, for tail calls.
  void attach_slot(const std::string &handler, const std::string &map, std::uint32_t index);
  /// At a link that the caller has made, for any kind of program whose links can be led to another
  /// one: from now on it leads to what is in force, and to generic code when it is detached, or
  /// this ends. `link` stays the caller's, and open.
  void attach_link(const std::string &handler, int link);
  /// Takes all of a handler's attachments away, and their pins; links stay, with generic code.
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

/// A score for autotune(): how much a counter, of a map or of a device, grows in a second, over a
/// window that is waited for.
std::function<double()> rate_of(std::function<std::uint64_t()> counter,
                                std::chrono::nanoseconds window = std::chrono::milliseconds(20));

} // namespace sartor

#endif

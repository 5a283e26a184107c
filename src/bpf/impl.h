// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_IMPL_H
#define SARTOR_BPF_IMPL_H

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sartor/bpf_runtime.hpp>
#include <sartor/remark.hpp>

#include "bpf/attachment.h"
#include "bpf/compiler.h"
#include "bpf/descriptor.h"
#include "bpf/map_content.h"
#include "bpf/object.h"
#include "bpf/shared_maps.h"
#include "bpf/variant.h"
#include "bpf/watch.h"

namespace sartor {

struct BpfRuntime::Impl {
  /// A handler, the program that is in force for it, and where the kernel calls that.
  struct Entry {
    BpfVariant generic;
    int generic_program = -1;
    std::shared_ptr<const bpf::Variant> variant = {}; ///< Null: the generic program.
    std::vector<bpf::Attachment> attachments = {};

    [[nodiscard]] int program() const { return variant ? variant->program() : generic_program; }
    [[nodiscard]] const BpfVariant &told() const { return variant ? variant->told() : generic; }
    /// Leads all attachments to another program, or none of them.
    Result<void> put(std::shared_ptr<const bpf::Variant> next);
  };
  using Change = std::pair<Entry *, std::shared_ptr<const bpf::Variant>>;

  /// While it is there, variants that have been made are kept, to be put in force again.
  class Keeping {
  public:
    explicit Keeping(Impl &impl) : impl_(impl) { impl_.keeps = true; }
    ~Keeping() {
      const std::lock_guard lock(impl_.mutex);
      impl_.keeps = false;
      impl_.kept.clear();
    }
    Keeping(const Keeping &) = delete;
    Keeping &operator=(const Keeping &) = delete;

  private:
    Impl &impl_;
  };

  static Result<std::unique_ptr<Impl>> open(const std::string &object, BpfOptions options);
  static Result<std::unique_ptr<Impl>> adopt(bpf_object &object, const std::string &bytes,
                                             BpfOptions options);

  Impl(bpf::Object loaded, BpfOptions given)
      : options(std::move(given)), generic(std::move(loaded)), shared(generic.get()) {}

  /// Of an object that is loaded, made of these bytes.
  Result<void> begin(const std::string &bytes);
  Result<void> find_programs();
  [[nodiscard]] bool is_handler(const std::string &name) const;
  /// With the lock held, as all below. What is set then is `configuration`.
  Result<void> specialize(const Configuration &wanted, const core::Context::Instrumented &seen);
  Result<core::Context> context_of(const std::string &handler, const Configuration &wanted,
                                   const core::Context::Instrumented &seen);
  Result<core::Answers> answers_of(const Point &point, std::size_t most);
  /// Makes it, or finds it among those that are kept.
  Result<std::shared_ptr<const bpf::Variant>> find_or_make(const core::Context &context);
  /// `remarks` are told with it.
  Result<std::shared_ptr<const bpf::Variant>> make(const core::Context &context,
                                                   std::vector<Remark> remarks = {});
  /// Where the verifier refuses what leans on the content of maps.
  Result<std::shared_ptr<const bpf::Variant>> make_without_maps(core::Context context,
                                                                const Failure &refusal);
  /// What variants of a handler may lean on now.
  Result<std::shared_ptr<const core::KernelMemory>> read_memory();
  /// What a handler's code with custom points was made from. Fails with bad_invariant where that is
  /// not promised.
  Result<void> add_ties(core::Context &context) const;
  Result<void> promise(const std::string &name, BpfWriters writers);
  /// Changes a map by a call that gives 0 or an error of the system's.
  Result<void> write(const std::string &name, std::size_t key_bytes,
                     std::optional<std::size_t> value_bytes,
                     const std::function<int(int map)> &call);
  /// Whether something is in force that leans on what has changed.
  Result<bool> is_stale();
  /// Takes promises back that nobody keeps any more: programs that are not seen use the map.
  void give_up_unseen();
  [[nodiscard]] std::set<std::uint32_t> own_programs() const;
  Result<bpf_map *> find_map(const std::string &name) const;
  Result<void> put_all(std::vector<Change> changes);
  void retire(const std::shared_ptr<const bpf::Variant> &variant);
  [[nodiscard]] PointProfile profile_of(const Point &point) const;
  Result<Entry *> find(const std::string &handler);
  Result<void> attach(const std::string &handler, Result<bpf::Attachment> attachment);
  [[nodiscard]] std::filesystem::path pin_for(const std::string &handler,
                                              const std::string &place) const;
  BpfOptions options;
  bpf::Object generic;
  bpf::SharedMaps shared;
  std::unique_ptr<bpf::Compiler> compiler;           ///< Null: all stays generic.
  std::optional<Failure> no_compiler;                ///< Why, unless Sartor is off.
  Space space;                                       ///< Empty where there is no compiler.
  std::map<std::string, Entry, std::less<>> entries; ///< Of all programs.

  bpf::Versions versions;
  std::map<std::string, std::string, std::less<>> settings; ///< Constants that were set.

  std::mutex mutex;
  Configuration configuration;
  core::Context::Instrumented instrumented;
  bool keeps = false;
  std::map<std::string, std::shared_ptr<const bpf::Variant>> kept; ///< By what they are made of.
  bpf::Descriptor profile; ///< The map; none until something is instrumented.
  std::map<std::pair<std::string, std::size_t>, core::Answers> answers_given;
  std::map<std::string, BpfWriters, std::less<>> promised; ///< By map.
  std::map<std::string, std::string, std::less<>> ties;    ///< From labels to maps.
  core::CustomKinds custom_kinds;
  std::shared_ptr<const core::KernelMemory> leant_on;            ///< By what was made last.
  std::map<std::string, core::KernelMap, std::less<>> last_read; ///< Of maps.
  std::map<std::string, std::string, std::less<>> given_up;      ///< Promises, and why. For people.
  std::optional<bpf::Watch> watch;
  std::set<std::uint32_t> replaced;    ///< Programs of variants that may yet be in the kernel.
  std::vector<std::uint64_t> failures; ///< Of variants that are gone, in the order of the space.
};

} // namespace sartor

#endif

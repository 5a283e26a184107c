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

#include <sartor/bpf/runtime.hpp>
#include <sartor/remark.hpp>

#include "base/event_log.h"
#include "bpf/attachment.h"
#include "bpf/comparison_counts.h"
#include "bpf/compiler.h"
#include "bpf/descriptor.h"
#include "bpf/map_content.h"
#include "bpf/object.h"
#include "bpf/shared_maps.h"
#include "bpf/test_runs.h"
#include "bpf/variant.h"
#include "bpf/watch.h"
#include "core/quarantine/quarantine.h"

namespace sartor {

struct BpfRuntime::Impl {
  /// A handler, its active program, and the places where the kernel calls it.
  struct Entry {
    BpfVariant generic;
    int generic_program = -1;
    std::shared_ptr<const bpf::Variant> variant = {}; ///< Null for the generic program.
    std::vector<bpf::Attachment> attachments = {};

    [[nodiscard]] int program() const { return variant ? variant->program() : generic_program; }
    [[nodiscard]] const BpfVariant &reported() const {
      return variant ? variant->reported() : generic;
    }
    /// Switches all attachments to another program, or none of them.
    Result<void> put(std::shared_ptr<const bpf::Variant> next);
  };
  using Change = std::pair<Entry *, std::shared_ptr<const bpf::Variant>>;

  /// While it exists, variants are kept for reactivation.
  class Keeping {
  public:
    explicit Keeping(Impl &impl) : impl_(impl) { impl_.keeps = true; }
    ~Keeping() {
      const std::lock_guard lock(impl_.mutex);
      impl_.keeps = false;
      impl_.kept.clear();
      impl_.forget_counted();
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

  /// Applies the environment to the options, and opens event log and quarantine.
  Result<void> open_verification(const std::string &bytes);
  /// The key of a request, with the content of maps that it depends on.
  [[nodiscard]] core::QuarantineKey quarantine_key(const core::Context &context) const;
  /// Compares a variant with the generic program. If it differs, quarantines the request, and fails
  /// with quarantined.
  Result<bpf::Comparison> compare(const core::CodeImage &image, const core::Context &context);
  /// An event if comparison was asked for: once for each handler and reason.
  void report_not_compared(const std::string &handler, BpfNotCompared reason);
  void quarantine_difference(const core::Context &context, const Failure &difference);
  /// Initializes for a loaded object that was made of these bytes.
  Result<void> begin(const std::string &bytes);
  Result<void> find_programs();
  [[nodiscard]] bool is_handler(const std::string &name) const;
  /// Requires the lock, as all functions below. If it succeeds, `wanted` is `configuration`.
  Result<void> specialize(const Configuration &wanted, const core::Context::Instrumented &seen);
  Result<core::Context> context_of(const std::string &handler, const Configuration &wanted,
                                   const core::Context::Instrumented &seen);
  Result<core::Answers> answers_of(const Point &point, std::size_t most);
  /// Makes a variant, or finds it among the kept ones.
  Result<std::shared_ptr<const bpf::Variant>> find_or_make(const core::Context &context);
  /// `remarks` are added to its report.
  Result<std::shared_ptr<const bpf::Variant>> make(const core::Context &context,
                                                   std::vector<Remark> remarks = {});
  /// Used if the verifier refuses code that depends on the content of maps.
  Result<std::shared_ptr<const bpf::Variant>> make_without_maps(core::Context context,
                                                                const Failure &refusal);
  /// Reads the memory that variants of a handler may depend on now.
  Result<std::shared_ptr<const core::KernelMemory>> read_memory();
  /// Adds the maps that a handler's custom points are made from. Fails with bad_invariant if they
  /// are not declared invariant.
  Result<void> add_ties(core::Context &context) const;
  Result<void> declare_invariant(const std::string &name, BpfWriters writers);
  Result<void> count_pinned_maps();
  /// Changes a map by a call that returns 0 or a system error.
  Result<void> write(const std::string &name, std::size_t key_bytes,
                     std::optional<std::size_t> value_bytes,
                     const std::function<int(int map)> &call);
  /// True if active code depends on a map that has changed.
  Result<bool> is_stale();
  /// Revokes invariants that are no longer watched: programs whose changes are not seen use the
  /// map. Reported by a remark of each variant that is made afterwards.
  void give_up_unseen();
  [[nodiscard]] std::set<std::uint32_t> own_programs() const;
  Result<bpf_map *> find_map(const std::string &name) const;
  Result<void> put_all(std::vector<Change> changes);
  void retire(const std::shared_ptr<const bpf::Variant> &variant);
  /// Returns the guard failures of a variant that `failures` does not have, in the order of the
  /// space; empty if no guard is counted.
  [[nodiscard]] std::vector<std::uint64_t> uncounted_failures(const bpf::Variant &variant) const;
  /// Forgets what was counted of variants that are not active.
  void forget_counted();
  [[nodiscard]] PointProfile profile_of(const Point &point) const;
  Result<Entry *> find(const std::string &handler);
  Result<void> attach(const std::string &handler, Result<bpf::Attachment> attachment);
  [[nodiscard]] std::filesystem::path pin_for(const std::string &handler,
                                              const std::string &place) const;
  BpfOptions options;
  bpf::Object generic;
  bpf::SharedMaps shared;
  std::optional<bpf::TestRuns> test_runs;
  std::unique_ptr<EventLog> events;           ///< Null if there is none.
  std::optional<core::Quarantine> quarantine; ///< None if nothing is compared.
  std::set<std::pair<std::string, BpfNotCompared>> reported_not_compared;
  bpf::ComparisonCounts comparisons;
  std::unique_ptr<bpf::Compiler> compiler; ///< Null if all handlers stay generic.
  std::optional<Failure> no_compiler;      ///< The reason for that, unless Sartor is off.
  Space space;                             ///< Empty if there is no compiler.
  /// The programs and their entries, keyed by the program's name.
  std::map<std::string, Entry, std::less<>> entries;

  bpf::Versions versions;
  std::map<std::string, std::string, std::less<>> settings; ///< Constants that were set.

  std::mutex mutex;
  Configuration configuration;
  core::Context::Instrumented instrumented;
  bool keeps = false;
  /// Keyed by the contexts that they are made of.
  std::map<std::string, std::shared_ptr<const bpf::Variant>> kept;
  bpf::Descriptor profile; ///< The map; empty until something is instrumented.
  std::map<std::pair<std::string, std::size_t>, core::Answers> answers_given;
  std::map<std::string, BpfWriters, std::less<>> invariant_writers; ///< Keyed by map.
  std::map<std::string, std::string, std::less<>> ties;             ///< From labels to maps.
  core::CustomKinds custom_kinds;
  /// The memory that the last made variants depend on.
  std::shared_ptr<const core::KernelMemory> depended_on;
  std::map<std::string, core::KernelMap, std::less<>> last_read; ///< The last content of maps.
  /// Revoked invariants and the reasons, for people.
  std::map<std::string, std::string, std::less<>> given_up;
  std::optional<bpf::Watch> watch;
  std::set<std::uint32_t> replaced; ///< Programs of variants that may still be in the kernel.
  /// Guard failures of variants that are not active any more, in the order of the space.
  std::vector<std::uint64_t> failures;
  /// The part of them that is of variants which are kept for reactivation; keyed by program.
  std::map<std::uint32_t, std::vector<std::uint64_t>> counted_failures;
};

} // namespace sartor

#endif

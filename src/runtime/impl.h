// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_IMPL_H
#define SARTOR_RUNTIME_IMPL_H

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

#include <sartor/runtime.hpp>

#include "base/event_log.h"
#include "base/life.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread.h"
#include "core/cache/stores.h"
#include "core/profile/store.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "runtime/assumptions/declared.h"
#include "runtime/assumptions/registry.h"
#include "runtime/codemem/linker.h"
#include "runtime/dispatch/variant_cache.h"
#include "runtime/entries.h"
#include "runtime/jit/compile_queue.h"
#include "runtime/jit/opening.h"
#include "runtime/opener.h"
#include "runtime/templates.h"

namespace sartor {

/// Connects the parts of a runtime: requests come in, jobs go to the compile queues, variants come
/// back and are activated. The queues and the linker have their own locks.
struct Runtime::Impl final : runtime::Dependent, base::Resident {
  using Infos = std::vector<VariantInfo>;
  enum class Purpose : unsigned char {
    activate,
    prepare,
    renew, ///< The request has not changed, but the set of valid invariants has.
  };
  struct Request;
  /// The maximum number of contexts with bound arguments that a handler may have at once, and the
  /// arguments that are dropped first when there are more; arguments that are not named are dropped
  /// before all others, the last one first.
  struct BindingLimit {
    std::size_t most = 1024;
    std::vector<unsigned> least_selective_first;
    std::size_t contexts = 0; ///< The current number.
  };

  /// Loads the module, from a store or by the compiler.
  using Load = std::function<Result<core::HandlerModule>(const runtime::Means &)>;
  /// Opens a runtime. If loading the module takes a compiler and there is none, the result is as of
  /// open_inactive(), with the reason. Fails with the other errors of loading it, and with
  /// file_error.
  static Result<std::unique_ptr<Impl>> open(std::span<const sartor_module> modules, Options options,
                                            const Load &load);
  /// Calls open() or open_inactive(), depending on the environment. Throws.
  static std::shared_ptr<Impl> opened(std::span<const sartor_module> modules,
                                      const Options &options, const Load &load);
  /// For SARTOR=off: the runtime knows only the addresses of native code.
  static std::unique_ptr<Impl> open_inactive(std::span<const sartor_module> modules,
                                             Options options);
  /// The last owner, the runtime or a binding, waits for running calls; if they do not end, or the
  /// process exits, the whole object is leaked.
  static std::shared_ptr<Impl> sharable(std::unique_ptr<Impl> impl);
  Impl() = default;
  ~Impl() override;
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  /// True if there is a module: its data may then be read, and does not change any more.
  [[nodiscard]] bool is_active() const { return active_.load(std::memory_order_acquire); }
  /// True if requests are stored until the module can be opened.
  [[nodiscard]] bool is_opening() const { return opener && !is_active(); }

  Result<RuntimeEntry *> entry_of(const core::HandlerModule::Handler &handler)
      SARTOR_EXCLUDES(base::any_mutex);
  Result<RuntimeEntry *> find(void *function) SARTOR_EXCLUDES(base::any_mutex);
  /// Fails with wrong_signature if `forms` is not empty and differs from the handler's.
  Result<RuntimeEntry *> find(std::string_view name, std::span<const detail::TypeForm> forms = {})
      SARTOR_EXCLUDES(base::any_mutex);
  /// Returns a plain function that passes `arguments` itself. Fails with bad_binding if the
  /// remaining arguments would be passed in another way than the handler takes them.
  Result<void *> function_of(RuntimeEntry &entry,
                             const std::map<unsigned, BoundArgument> &arguments)
      SARTOR_EXCLUDES(base::any_mutex);
  /// As function_of(), in the background: `take` is called on another thread, or before this
  /// returns. The entry must outlive that.
  Result<void> make_function(RuntimeEntry &entry,
                             const std::map<unsigned, BoundArgument> &arguments,
                             std::function<void(Result<void *>)> take) SARTOR_RUNS_PROGRAM;
  /// Prepares an entry for measuring by calls. Fails with point_not_specializable for a handler
  /// with a variable number of arguments, or with bad_objective.
  Result<void> make_rotation(RuntimeEntry &entry) SARTOR_EXCLUDES(base::any_mutex);
  /// Returns the full variant of a handler from the code cache; null stands for the generic code.
  /// Fails as context_of() does, and with compile_failed if it is not there.
  Result<runtime::VariantRef> cached(const RuntimeEntry &entry, const Configuration &configuration)
      SARTOR_REQUIRES(mutex);

  /// Must be called before an entry is switched by other means, or is destroyed.
  void forget_dependency(RuntimeEntry &entry) SARTOR_REQUIRES(mutex);
  /// True if code could be made for the set points or bound arguments alone.
  [[nodiscard]] bool knows_more_than_quasi_invariants(const RuntimeEntry &entry) const
      SARTOR_REQUIRES(mutex);
  /// Makes new calls wait for code that is better than the active one.
  void hold_callers(RuntimeEntry &entry, const runtime::Holding &holding) SARTOR_REQUIRES(mutex);
  void let_go(RuntimeEntry &entry) SARTOR_REQUIRES(mutex);
  /// Releases held calls if the code made for an entry, from this memory, is the best possible now.
  void let_go_if_done(RuntimeEntry &entry, const core::Context &made) SARTOR_REQUIRES(mutex);
  /// Switches an entry to a variant; returns false if it does not change.
  bool lead(RuntimeEntry &entry, const runtime::VariantRef &to, std::uint64_t request)
      SARTOR_REQUIRES(mutex);
  /// Records the context that an entry, perhaps a binding's, wants from now on, and has.
  void remember(RuntimeEntry &entry, const core::Context &wanted, detail::BoundEntry *bound)
      SARTOR_REQUIRES(mutex);
  /// Returns the replacement for a variant that depends on an invalidated invariant: of the
  /// variants of the same kind whose invariants are valid, the one that depends on most; null is
  /// the generic code.
  [[nodiscard]] runtime::VariantRef best_remaining(const runtime::Variant &leaving,
                                                   std::uint64_t broken) const
      SARTOR_REQUIRES(mutex);
  /// Returns a variant from the code cache, unless it depends on a revoked invariant.
  [[nodiscard]] runtime::VariantRef find_cached(const std::string &key) const
      SARTOR_REQUIRES(mutex);

  /// Returns the entry for a handler with these arguments bound, with a share for the caller, and
  /// begins to compile it. `before` is the entry with some of them bound, whose configuration is
  /// used.
  Result<detail::BoundEntry *> bind(RuntimeEntry &handler,
                                    std::map<unsigned, BoundArgument> arguments,
                                    const detail::BoundEntry *before = nullptr);
  void acquire(detail::BoundEntry &entry);
  void release(detail::BoundEntry &entry);
  void release_locked(detail::BoundEntry &entry) SARTOR_REQUIRES(mutex);
  Result<void> limit_bindings(RuntimeEntry &handler, std::size_t most,
                              std::vector<unsigned> least_selective_first);

  /// Returns all that a variant of this handler is specialized to: the caller's settings, and the
  /// rest. Fails with untied_fast_path, no_profile.
  Result<core::Context> context_of(const std::string &handler, const Configuration &configuration,
                                   std::map<unsigned, BoundArgument> arguments)
      SARTOR_REQUIRES(mutex);
  /// True if such a variant could only be the native code.
  [[nodiscard]] bool is_native(const core::Context &context) const SARTOR_REQUIRES(mutex);
  /// Returns the invariant memory that can be reached from the values in a context now.
  std::shared_ptr<runtime::Reach> reach_of(const core::Context &context);
  Result<void> tie(const std::string &label, std::uint64_t invariant)
      SARTOR_EXCLUDES(base::any_mutex);
  runtime::Deactivated deactivate(std::uint64_t invariant,
                                  const runtime::Holding &holding) override;
  void forget(std::uint64_t invariant) override;
  void look_again() override;
  void not_waited_for(std::uint64_t invariant) override;

  /// Creates a template in the background for variants of this form, unless there is one, or none
  /// can be made.
  void make_template(const core::Context &context) SARTOR_REQUIRES(mutex);

  void add_custom(const std::string &kind, Generator generator, std::vector<Value> choices);
  /// Finds the generators that a context needs. Fails with unknown_custom_kind.
  Result<void> add_custom_kinds(core::Context &context) const SARTOR_REQUIRES(mutex);
  /// Begins to serve a request; its result or an Error comes by the future. Without a
  /// configuration, the one that was last requested is used.
  std::future<Infos> request(std::optional<Configuration> asked, Purpose purpose)
      SARTOR_EXCLUDES(base::any_mutex);

  /// Fails with unknown_label, bad_value_type, point_not_specializable, compile_failed.
  Result<void> set_instrumented(core::Context::Instrumented every);
  void add_instrumentation(core::Context &context) const SARTOR_REQUIRES(mutex);
  [[nodiscard]] PointProfile profile_of(const Point &point) const SARTOR_REQUIRES(mutex);
  /// Results that were recorded before an invariant was declared may be wrong under it.
  void forget_results(const std::string &label) SARTOR_REQUIRES(mutex);

  [[nodiscard]] std::map<std::string, std::uint64_t> guard_failures() const;

  Options options;
  std::shared_ptr<const runtime::Declared> declared; ///< Null when inactive.
  std::optional<Failure> no_compiler; ///< The reason why there is none, except for SARTOR=off.
  std::shared_ptr<EventLog> events;   ///< Null when there is none.
  std::shared_ptr<Opener> opener;     ///< Null unless it began inactive.
  std::shared_ptr<const core::HandlerModule> module; ///< Null when inactive.
  std::shared_ptr<runtime::Linker> linker;
  core::Stores stores; ///< Stores that cannot be used are left out.
  /// Indexed by the index of the point in the space.
  std::shared_ptr<std::uint64_t[]> failure_counters;
  std::map<std::string, void *> native; ///< Code by name, when inactive.

  mutable base::Mutex mutex;
  Space space SARTOR_GUARDED_BY(mutex); ///< The module's space, with the constraints that were set.
  /// Keyed by handler or native name.
  std::map<std::string, std::unique_ptr<RuntimeEntry>> entries SARTOR_GUARDED_BY(mutex);
  /// Keyed by context.
  std::map<std::string, std::unique_ptr<detail::BoundEntry>> bindings SARTOR_GUARDED_BY(mutex);
  /// The members of `entries` that can be measured by calls.
  std::vector<RuntimeEntry *> rotating SARTOR_GUARDED_BY(mutex);
  /// Keyed by the invariants that their active code depends on.
  std::unordered_map<std::uint64_t, std::set<RuntimeEntry *>>
      dependent_entries SARTOR_GUARDED_BY(mutex);
  /// Keyed by handler.
  std::map<std::string, BindingLimit> binding_limits SARTOR_GUARDED_BY(mutex);
  /// Invariants by label.
  std::map<std::string, std::uint64_t, std::less<>> ties SARTOR_GUARDED_BY(mutex);
  /// The generic variants of handlers without native code.
  std::map<std::string, runtime::VariantRef> generic_variants SARTOR_GUARDED_BY(mutex);
  core::CustomKinds custom_kinds SARTOR_GUARDED_BY(mutex);
  std::uint64_t custom_kinds_added SARTOR_GUARDED_BY(mutex) = 0;
  /// Keyed by kind.
  std::map<std::string, std::vector<Value>, std::less<>> custom_choices SARTOR_GUARDED_BY(mutex);
  std::unique_ptr<runtime::VariantCache> cache SARTOR_PT_GUARDED_BY(mutex);
  Templates templates SARTOR_GUARDED_BY(mutex);
  Pipeline pipeline SARTOR_GUARDED_BY(mutex);
  /// The configurations whose activation was requested and has not failed, by request: from the
  /// active one to the newest.
  std::map<std::uint64_t, Configuration> requested SARTOR_GUARDED_BY(mutex);
  std::optional<Configuration> asked_while_opening SARTOR_GUARDED_BY(mutex);
  std::optional<Constraints> constrained_while_opening SARTOR_GUARDED_BY(mutex);
  std::uint64_t requests SARTOR_GUARDED_BY(mutex) = 0;
  std::atomic<std::size_t> renewals = 0; ///< Running requests with Purpose::renew.
  Statistics statistics SARTOR_GUARDED_BY(mutex);
  core::Context::Instrumented instrumented SARTOR_GUARDED_BY(mutex);
  /// Null until something is instrumented.
  std::shared_ptr<core::Store> profile_store SARTOR_GUARDED_BY(mutex);
  Profile loaded_profile SARTOR_GUARDED_BY(mutex);
  /// The last answers of a fast path, by label and number.
  std::map<std::pair<std::string, std::size_t>, core::Answers>
      answers_given SARTOR_GUARDED_BY(mutex);

  /// Quick variants are made in parallel with full ones, so that neither waits for the other.
  std::unique_ptr<runtime::CompileQueue> compile_queue;
  std::unique_ptr<runtime::CompileQueue> quick_compile_queue;
  std::stop_source sampler_stop SARTOR_GUARDED_BY(mutex);
  /// Started with the first request, if there is an event log.
  base::Thread guard_sampler SARTOR_GUARDED_BY(mutex);

private:
  /// Returns null if it has to be made.
  Result<void *> find_function(RuntimeEntry &entry,
                               const std::map<unsigned, BoundArgument> &arguments);
  void *add_function(RuntimeEntry &entry, const std::map<unsigned, BoundArgument> &arguments,
                     std::unique_ptr<runtime::Code> code);
  /// Records a change in the invariants that an entry depends on, before or after it happens. Both
  /// lists are sorted.
  void note_dependency(RuntimeEntry &entry, std::span<const std::uint64_t> before,
                       std::span<const std::uint64_t> after) SARTOR_REQUIRES(mutex);
  /// Requests again the context that an entry wants, if it can be made from other memory than
  /// before.
  void renew(RuntimeEntry &entry, detail::BoundEntry *bound) SARTOR_REQUIRES(mutex);
  void take(core::HandlerModule &&loaded);
  /// Called when the module could be opened later: entries and bindings that were made without it
  /// become those of its handlers, and requests made meanwhile are submitted.
  void wake(core::HandlerModule &&loaded) SARTOR_EXCLUDES(base::any_mutex);
  /// Matches entries with handlers by the addresses of their code.
  void adopt_entries() SARTOR_REQUIRES(mutex);
  void adopt_bindings(std::vector<std::shared_ptr<Request>> &asked) SARTOR_REQUIRES(mutex);
  [[nodiscard]] Result<runtime::VariantRef>
  compile_generic(const core::HandlerModule::Handler &handler) SARTOR_EXCLUDES(base::any_mutex);
  [[nodiscard]] Result<core::Answers> answers_of(const Point &point, std::size_t most)
      SARTOR_REQUIRES(mutex);
  void start_guard_sampler() SARTOR_REQUIRES(mutex);
  void sample_guards(const std::stop_token &stop) const;
  /// Ends the rotations, as the explorer does not exist in the child.
  void resume_in_child() override;

  std::atomic<bool> active_ = false;
};

} // namespace sartor

#endif

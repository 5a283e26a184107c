// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_IMPL_H
#define SARTOR_RUNTIME_IMPL_H

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <sartor/runtime.hpp>

#include "base/event_log.h"
#include "base/life.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/cache/stores.h"
#include "core/quarantine/compile_failures.h"
#include "core/request/context.h"
#include "core/space/module.h"
#include "runtime/active_assumptions.h"
#include "runtime/assumptions/declared.h"
#include "runtime/assumptions/registry.h"
#include "runtime/binding_table.h"
#include "runtime/codemem/linker.h"
#include "runtime/control/overrides.h"
#include "runtime/control/runtime_control.h"
#include "runtime/dispatch/variant_cache.h"
#include "runtime/entries.h"
#include "runtime/entry_table.h"
#include "runtime/generators.h"
#include "runtime/guard_failures.h"
#include "runtime/jit/compile_queue.h"
#include "runtime/jit/opening.h"
#include "runtime/lazy_opening.h"
#include "runtime/opener.h"
#include "runtime/profiles.h"
#include "runtime/requested.h"
#include "runtime/templates.h"
#include "runtime/verify/verifier.h"

namespace sartor {

/// Connects the parts of a runtime: requests come in, jobs go to the compile queues, variants come
/// back and are activated. The parts have their own locks, which are taken after this one's.
struct Runtime::Impl final : runtime::Dependent, base::Resident {
  using Infos = std::vector<VariantInfo>;
  enum class Purpose : unsigned char {
    activate,
    prepare,
    renew, ///< The request has not changed, but the set of valid invariants has.
  };
  struct Request;

  /// Loads the module, from a store or by the compiler.
  using Load = std::function<Result<core::HandlerModule>(const runtime::Means &)>;
  /// Opens a runtime. If loading the module takes a compiler and there is none, the result is as of
  /// open_inactive(), with the reason. Fails with the other errors of loading it, and with
  /// file_error. With lazy opening, `load` is called later.
  static Result<std::unique_ptr<Impl>> open(std::span<const sartor_module> modules, Options options,
                                            const Load &load);
  /// Calls open() or open_inactive(), depending on the environment. Throws. `is_embedded`: the
  /// modules are those that are opened, which can be done lazily.
  static std::shared_ptr<Impl> opened(std::span<const sartor_module> modules,
                                      const Options &options, const Load &load, bool is_embedded);
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
  [[nodiscard]] bool is_opening() const {
    return !is_active() && (opener || (lazy_opening && !lazy_opening->is_over()));
  }
  /// With lazy opening, opens the module and waits for that. Fails with the errors of loading it,
  /// except that there is no compiler.
  Result<void> open_now() SARTOR_EXCLUDES(base::any_mutex);
  /// As open_now(); returns is_active(). Throws.
  bool is_open() SARTOR_EXCLUDES(base::any_mutex) {
    or_throw(open_now());
    return is_active();
  }

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
  /// Switches an entry back to the variant of an earlier request; returns false if it does not
  /// change.
  bool lead_back(RuntimeEntry &entry, const runtime::VariantRef &to, std::uint64_t request)
      SARTOR_REQUIRES(mutex);
  /// Records the context that an entry, perhaps a binding's, wants from now on, and has, unless a
  /// newer request has done so.
  void remember(RuntimeEntry &entry, const core::Context &wanted, std::uint64_t request,
                detail::BoundEntry *bound) SARTOR_REQUIRES(mutex);
  /// Returns the replacement for a variant that depends on an invalidated invariant: of the
  /// variants of the same kind whose invariants are valid, the one that depends on most; null is
  /// the generic code.
  [[nodiscard]] runtime::VariantRef best_remaining(const runtime::Variant &leaving,
                                                   std::uint64_t broken) const
      SARTOR_REQUIRES(mutex);
  /// Ends the rotations that call a variant which is not to be called any more.
  void stop_rotations(const std::function<bool(const runtime::Variant &)> &is_left)
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

  /// The statistics, as Runtime::statistics() returns them.
  [[nodiscard]] Statistics counted() const SARTOR_EXCLUDES(base::any_mutex);
  /// Null while there is no module.
  [[nodiscard]] const core::HandlerModule *opened_module() const {
    return is_active() ? module.get() : nullptr;
  }
  /// Switches entries off and on, as `overrides` says now.
  void apply_overrides() SARTOR_EXCLUDES(base::any_mutex);

  /// Begins to serve a request; its result or an Error comes by the future. Without a
  /// configuration, the one that was last requested is used. `is_operators`: the program has not
  /// requested it.
  std::future<Infos> request(std::optional<Configuration> asked, Purpose purpose,
                             bool is_operators = false) SARTOR_EXCLUDES(base::any_mutex);
  /// The newest configuration that was requested, whether it is active or not.
  [[nodiscard]] Configuration newest() const SARTOR_REQUIRES(mutex);

  Options options;
  std::shared_ptr<const runtime::Declared> declared; ///< Null when inactive.
  std::shared_ptr<EventLog> events;                  ///< Null when there is none.
  std::shared_ptr<Opener> opener;            ///< Null unless it began inactive and has a server.
  std::unique_ptr<LazyOpening> lazy_opening; ///< Null without that option.
  std::shared_ptr<const core::HandlerModule> module; ///< Null when inactive.
  std::shared_ptr<runtime::Linker> linker;
  core::Stores stores; ///< Stores that cannot be used are left out.
  Overrides overrides;
  EntryTable entries{*this};
  Generators generators;
  ActiveAssumptions assumptions;
  Requested requested;
  Verifier verifier{*this};
  std::shared_ptr<core::CompileFailures> compile_failures;
  std::unique_ptr<Profiles> profiles;            ///< Null when inactive.
  std::unique_ptr<GuardFailures> guard_failures; ///< Null when inactive.

  /// Taken before the locks of the members above and of all parts of a runtime.
  mutable base::Mutex mutex;
  Space space SARTOR_GUARDED_BY(mutex); ///< The module's space, with the constraints that were set.
  BindingTable bindings SARTOR_GUARDED_BY(mutex);
  /// The entries that can be measured by calls.
  std::vector<RuntimeEntry *> rotating SARTOR_GUARDED_BY(mutex);
  std::unique_ptr<runtime::VariantCache> cache SARTOR_PT_GUARDED_BY(mutex);
  Templates templates SARTOR_GUARDED_BY(mutex);
  Pipeline pipeline SARTOR_GUARDED_BY(mutex);
  /// The reason why there is no module, except for SARTOR=off.
  std::optional<Failure> not_opened SARTOR_GUARDED_BY(mutex);
  std::optional<Configuration> asked_while_opening SARTOR_GUARDED_BY(mutex);
  /// The configuration that the program requested last while a configuration is pinned.
  std::optional<Configuration> asked_while_pinned SARTOR_GUARDED_BY(mutex);
  struct Waiting {
    std::optional<Configuration> asked;
    Purpose purpose;
    std::promise<Infos> promise;
  };
  /// The requests that wait for a lazy opening, while there is one.
  std::deque<Waiting> waiting SARTOR_GUARDED_BY(mutex);
  bool keeps_waiting SARTOR_GUARDED_BY(mutex) = false;
  std::optional<Constraints> constrained_while_opening SARTOR_GUARDED_BY(mutex);
  std::atomic<std::size_t> renewals = 0; ///< Running requests with Purpose::renew.
  Statistics statistics SARTOR_GUARDED_BY(mutex);
  /// Quick variants are made in parallel with full ones, so that neither waits for the other.
  std::unique_ptr<runtime::CompileQueue> compile_queue;
  std::unique_ptr<runtime::CompileQueue> quick_compile_queue;
  std::unique_ptr<RuntimeControl> control; ///< Null before join_process().

private:
  /// Requests again the context that an entry wants, if it can be made from other memory than
  /// before.
  void renew(RuntimeEntry &entry, detail::BoundEntry *bound) SARTOR_REQUIRES(mutex);
  void take(core::HandlerModule &&loaded);
  /// Takes part in forks and the end of the process, and in events that concern it as a whole.
  void join_process() SARTOR_EXCLUDES(base::any_mutex);
  /// Reads the files that switch handlers off from the start.
  void read_policy(std::span<const sartor_module> modules);
  void resolve_overrides();
  /// Replaces what is requested by the pinned configuration, if there is one, and stores what the
  /// program has requested.
  void keep_pinned(Configuration &asked, bool is_operators) SARTOR_REQUIRES(mutex);
  /// Sets the constraints that were given before the points were known. Reports those that do not
  /// fit the points, and sets none then.
  void constrain_opened() SARTOR_REQUIRES(mutex);
  /// Called when the module could be opened later: entries and bindings that were made without it
  /// become those of its handlers, and requests made meanwhile are submitted.
  void wake(core::HandlerModule &&loaded) SARTOR_EXCLUDES(base::any_mutex);
  /// Called when the module could not be opened: fails what waits for it.
  void give_up(Failure failure) SARTOR_EXCLUDES(base::any_mutex);
  void serve_waiting() SARTOR_EXCLUDES(base::any_mutex);
  /// Begins to serve a request; there is a module.
  void serve(Waiting asking) SARTOR_EXCLUDES(base::any_mutex);
  void open_entries();
  /// Bindings that do not fit the handlers are appended to `refused`, for their callers.
  using Refused = std::pair<std::promise<std::vector<VariantInfo>>, Failure>;
  void adopt_bindings(std::vector<std::shared_ptr<Request>> &asked, std::vector<Refused> &refused)
      SARTOR_REQUIRES(mutex);
  [[nodiscard]] Result<core::Answers> answers_of(const Point &point, std::size_t most)
      SARTOR_REQUIRES(mutex);
  /// Ends the rotations, as the explorer does not exist in the child.
  void resume_in_child() override;

  std::atomic<bool> active_ = false;
};

} // namespace sartor

#endif

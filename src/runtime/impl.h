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
#include "runtime/jit/opening.h"
#include "runtime/jit/workshop.h"
#include "runtime/opener.h"
#include "runtime/templates.h"

namespace sartor {

/// Wires the rooms: requests come in, jobs go to the workshop, variants come back and are put in
/// force. The workshop and the linker lock for themselves.
struct Runtime::Impl final : runtime::Dependent, base::Resident {
  using Infos = std::vector<VariantInfo>;
  enum class Purpose : unsigned char {
    put_in_force,
    prepare,
    renew, ///< What is asked for has not changed; what holds has.
  };
  struct Request;
  /// How many contexts with bound arguments a handler may have at once, and which argument is
  /// dropped first when there are more; those not named come before all others, the last one first.
  struct BindingLimit {
    std::size_t most = 1024;
    std::vector<unsigned> least_telling_first;
    std::size_t contexts = 0; ///< That it has now.
  };

  /// Gives the module, as it lies in a store or by the compiler.
  using Load = std::function<Result<core::HandlerModule>(const runtime::Means &)>;
  /// Where loading the module takes a compiler and there is none, as open_inactive(), but says why.
  /// Fails with what else loading it fails with, and file_error.
  static Result<std::unique_ptr<Impl>> open(std::span<const sartor_module> modules, Options options,
                                            const Load &load);
  /// Either, as the environment says. Throws.
  static std::shared_ptr<Impl> opened(std::span<const sartor_module> modules,
                                      const Options &options, const Load &load);
  /// For SARTOR=off: knows nothing but the addresses of native code.
  static std::unique_ptr<Impl> open_inactive(std::span<const sartor_module> modules,
                                             Options options);
  /// The last that has it, the runtime or a binding, waits for calls under way; where they do not
  /// end, or the process does, all of it is kept.
  static std::shared_ptr<Impl> sharable(std::unique_ptr<Impl> impl);
  Impl() = default;
  ~Impl() override;
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  /// Whether there is a module: what is about it may be read then, and does not change any more.
  [[nodiscard]] bool is_active() const { return active_.load(std::memory_order_acquire); }
  /// Whether requests are remembered until the module can be opened.
  [[nodiscard]] bool is_opening() const { return opener && !is_active(); }

  Result<RuntimeEntry *> entry_of(const core::HandlerModule::Handler &handler)
      SARTOR_EXCLUDES(base::any_mutex);
  Result<RuntimeEntry *> find(void *function) SARTOR_EXCLUDES(base::any_mutex);
  /// Fails with wrong_signature where `forms`, if there are any, are not the handler's.
  Result<RuntimeEntry *> find(std::string_view name, std::span<const detail::TypeForm> forms = {})
      SARTOR_EXCLUDES(base::any_mutex);
  /// A plain function that passes `arguments` by itself. Fails with bad_binding where what is left
  /// would be passed in another way than the handler takes it.
  Result<void *> function_of(RuntimeEntry &entry,
                             const std::map<unsigned, BoundArgument> &arguments)
      SARTOR_EXCLUDES(base::any_mutex);
  /// The same in the background: `take` is called on another thread, or before this returns. The
  /// entry has to outlive that.
  Result<void> make_function(RuntimeEntry &entry,
                             const std::map<unsigned, BoundArgument> &arguments,
                             std::function<void(Result<void *>)> take) SARTOR_RUNS_PROGRAM;
  /// Readies an entry for measuring by calls. Fails with point_not_specializable for a handler with
  /// a variable number of arguments, bad_objective.
  Result<void> make_rotation(RuntimeEntry &entry) SARTOR_EXCLUDES(base::any_mutex);
  /// The full variant of a handler's, from the code cache; null is the generic code. Fails with
  /// what context_of() does, and compile_failed if it is not there.
  Result<runtime::VariantRef> cached(const RuntimeEntry &entry, const Configuration &configuration)
      SARTOR_REQUIRES(mutex);

  /// Before an entry is led elsewhere by other means, or goes.
  void forget_leaning(RuntimeEntry &entry) SARTOR_REQUIRES(mutex);
  /// Whether code could be made for points that are set, or arguments that are bound, alone.
  [[nodiscard]] bool knows_more_than_facts(const RuntimeEntry &entry) const SARTOR_REQUIRES(mutex);
  /// Has new calls wait for what could be made in place of what remains.
  void hold_callers(RuntimeEntry &entry, const runtime::Holding &holding) SARTOR_REQUIRES(mutex);
  void let_go(RuntimeEntry &entry) SARTOR_REQUIRES(mutex);
  /// If what has been made for an entry, from this memory, is the best that there can be now.
  void let_go_if_done(RuntimeEntry &entry, const core::Context &made) SARTOR_REQUIRES(mutex);
  /// Leads an entry elsewhere; false if it stays.
  bool lead(RuntimeEntry &entry, const runtime::VariantRef &to, std::uint64_t request)
      SARTOR_REQUIRES(mutex);
  /// This is what an entry, perhaps a binding's, wants from now on, and has.
  void remember(RuntimeEntry &entry, const core::Context &wanted, detail::BoundEntry *bound)
      SARTOR_REQUIRES(mutex);
  /// Of the same kind as one that leans on a broken promise: the one that knows most of
  /// those whose promises do; null is the generic code.
  [[nodiscard]] runtime::VariantRef best_remaining(const runtime::Variant &leaving,
                                                   std::uint64_t broken) const
      SARTOR_REQUIRES(mutex);
  /// A variant from the code cache, unless it leans on what was taken back.
  [[nodiscard]] runtime::VariantRef find_cached(const std::string &key) const
      SARTOR_REQUIRES(mutex);

  /// The entry for a handler with these arguments bound, and its compile begun; with a share for
  /// the caller. `before`: what was bound to some of them, in whose configuration it is.
  Result<detail::BoundEntry *> bind(RuntimeEntry &handler,
                                    std::map<unsigned, BoundArgument> arguments,
                                    const detail::BoundEntry *before = nullptr);
  void acquire(detail::BoundEntry &entry);
  void release(detail::BoundEntry &entry);
  void release_locked(detail::BoundEntry &entry) SARTOR_REQUIRES(mutex);
  Result<void> limit_bindings(RuntimeEntry &handler, std::size_t most,
                              std::vector<unsigned> least_telling_first);

  /// All that a variant of this handler is specialized to, besides what the caller says. Fails
  /// with untied_fast_path, no_profile.
  Result<core::Context> context_of(const std::string &handler, const Configuration &configuration,
                                   std::map<unsigned, BoundArgument> arguments)
      SARTOR_REQUIRES(mutex);
  /// Whether native code is all that such a variant could be.
  [[nodiscard]] bool is_native(const core::Context &context) const SARTOR_REQUIRES(mutex);
  /// What can be reached from what a context has in it, as it is now.
  std::shared_ptr<runtime::Reach> reach_of(const core::Context &context);
  Result<void> tie(const std::string &label, std::uint64_t promise)
      SARTOR_EXCLUDES(base::any_mutex);
  runtime::TakenOut take_out(std::uint64_t promise, const runtime::Holding &holding) override;
  void forget(std::uint64_t promise) override;
  void look_again() override;
  void not_waited_for(std::uint64_t promise) override;

  /// Has a template made in the background for variants like that, unless there is one, or none can
  /// be.
  void make_template(const core::Context &context) SARTOR_REQUIRES(mutex);

  void add_custom(const std::string &kind, Generator generator, std::vector<Value> choices);
  /// Finds the generators that a context needs. Fails with unknown_custom_kind.
  Result<void> add_custom_kinds(core::Context &context) const SARTOR_REQUIRES(mutex);
  /// Begins to serve a request; what it comes to, or an Error, comes by the future. Without a
  /// configuration, the one that was asked for last.
  std::future<Infos> request(std::optional<Configuration> asked, Purpose purpose)
      SARTOR_EXCLUDES(base::any_mutex);

  /// Fails with unknown_label, bad_value_type, point_not_specializable, compile_failed.
  Result<void> set_instrumented(core::Context::Instrumented every);
  void add_instrumentation(core::Context &context) const SARTOR_REQUIRES(mutex);
  [[nodiscard]] PointProfile profile_of(const Point &point) const SARTOR_REQUIRES(mutex);
  /// Results that were seen before a promise was made may not hold under it.
  void forget_results(const std::string &label) SARTOR_REQUIRES(mutex);

  [[nodiscard]] std::map<std::string, std::uint64_t> guard_failures() const;

  Options options;
  std::shared_ptr<const runtime::Declared> declared; ///< Null when inactive.
  std::optional<Failure> no_compiler;                ///< Why there is none, but for SARTOR=off.
  std::shared_ptr<EventLog> events;                  ///< Null when there is none.
  std::shared_ptr<Opener> opener;                    ///< Null unless it began inactive.
  std::shared_ptr<const core::HandlerModule> module; ///< Null when inactive.
  std::shared_ptr<runtime::Linker> linker;
  core::Stores stores;                               ///< Without those that cannot be used.
  std::shared_ptr<std::uint64_t[]> failure_counters; ///< By place of the point in the space.
  std::map<std::string, void *> native;              ///< Code by name, when inactive.

  mutable base::Mutex mutex;
  Space space SARTOR_GUARDED_BY(mutex); ///< The module's, with the constraints that were set.
  /// By handler or native name.
  std::map<std::string, std::unique_ptr<RuntimeEntry>> entries SARTOR_GUARDED_BY(mutex);
  /// By context.
  std::map<std::string, std::unique_ptr<detail::BoundEntry>> bindings SARTOR_GUARDED_BY(mutex);
  /// Those of `entries` that can be measured by calls.
  std::vector<RuntimeEntry *> rotating SARTOR_GUARDED_BY(mutex);
  /// By promises that what is in force in them leans on.
  std::unordered_map<std::uint64_t, std::set<RuntimeEntry *>>
      leaning_entries SARTOR_GUARDED_BY(mutex);
  std::map<std::string, BindingLimit> binding_limits SARTOR_GUARDED_BY(mutex); ///< By handler.
  /// Promises by label.
  std::map<std::string, std::uint64_t, std::less<>> ties SARTOR_GUARDED_BY(mutex);
  /// Of handlers without native code.
  std::map<std::string, runtime::VariantRef> generic_variants SARTOR_GUARDED_BY(mutex);
  core::CustomKinds custom_kinds SARTOR_GUARDED_BY(mutex);
  std::uint64_t custom_kinds_added SARTOR_GUARDED_BY(mutex) = 0;
  /// By kind.
  std::map<std::string, std::vector<Value>, std::less<>> custom_choices SARTOR_GUARDED_BY(mutex);
  std::unique_ptr<runtime::VariantCache> cache SARTOR_PT_GUARDED_BY(mutex);
  Templates templates SARTOR_GUARDED_BY(mutex);
  Pipeline pipeline SARTOR_GUARDED_BY(mutex);
  /// What was asked to be put in force and has not failed, by request: from the one that is in
  /// force to the newest.
  std::map<std::uint64_t, Configuration> requested SARTOR_GUARDED_BY(mutex);
  std::optional<Configuration> asked_while_opening SARTOR_GUARDED_BY(mutex);
  std::optional<Constraints> constrained_while_opening SARTOR_GUARDED_BY(mutex);
  std::uint64_t requests SARTOR_GUARDED_BY(mutex) = 0;
  std::atomic<std::size_t> renewals = 0; ///< Requests under way by that purpose.
  Statistics statistics SARTOR_GUARDED_BY(mutex);
  core::Context::Instrumented instrumented SARTOR_GUARDED_BY(mutex);
  /// Null before anything was instrumented.
  std::shared_ptr<core::Store> profile_store SARTOR_GUARDED_BY(mutex);
  Profile loaded_profile SARTOR_GUARDED_BY(mutex);
  /// Last, of a fast path, by label and number.
  std::map<std::pair<std::string, std::size_t>, core::Answers>
      answers_given SARTOR_GUARDED_BY(mutex);

  /// Quick variants are made beside full ones, so that neither waits for the other.
  std::unique_ptr<runtime::Workshop> workshop;
  std::unique_ptr<runtime::Workshop> quick_workshop;
  std::stop_source sampler_stop SARTOR_GUARDED_BY(mutex);
  /// Started with the first request, where there is an event log.
  base::Thread guard_sampler SARTOR_GUARDED_BY(mutex);

private:
  /// Null where it has to be made.
  Result<void *> find_function(RuntimeEntry &entry,
                               const std::map<unsigned, BoundArgument> &arguments);
  void *add_function(RuntimeEntry &entry, const std::map<unsigned, BoundArgument> &arguments,
                     std::unique_ptr<runtime::Code> code);
  /// What an entry leans on is about to change, or has. Both are sorted.
  void note_leaning(RuntimeEntry &entry, std::span<const std::uint64_t> before,
                    std::span<const std::uint64_t> after) SARTOR_REQUIRES(mutex);
  /// Asks for what an entry wants anew, if it can be made from other memory than it was.
  void renew(RuntimeEntry &entry, detail::BoundEntry *bound) SARTOR_REQUIRES(mutex);
  void take(core::HandlerModule &&loaded);
  /// The module could be opened after all: entries and bindings that were made without it become
  /// those of its handlers, and what was asked for meanwhile is asked for again.
  void wake(core::HandlerModule &&loaded) SARTOR_EXCLUDES(base::any_mutex);
  /// By the addresses of their code.
  void adopt_entries() SARTOR_REQUIRES(mutex);
  void adopt_bindings(std::vector<std::shared_ptr<Request>> &asked) SARTOR_REQUIRES(mutex);
  [[nodiscard]] Result<runtime::VariantRef>
  compile_generic(const core::HandlerModule::Handler &handler) SARTOR_EXCLUDES(base::any_mutex);
  [[nodiscard]] Result<core::Answers> answers_of(const Point &point, std::size_t most)
      SARTOR_REQUIRES(mutex);
  void start_guard_sampler() SARTOR_REQUIRES(mutex);
  void sample_guards(const std::stop_token &stop) const;
  /// Calls are not timed for an explorer that is not there.
  void resume_in_child() override;

  std::atomic<bool> active_ = false;
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The implementation of CallRotation for a handler's entry.
#include <set>

#include "core/space/fit.h"
#include "core/space/handler_name.h"
#include "runtime/dispatch/call_rotation.h"
#include "runtime/dispatch/retire.h"
#include "runtime/impl.h"
#include "runtime/request.h"
#include "runtime/verify/first_comparisons.h"

namespace sartor {

Result<runtime::VariantRef> Runtime::Impl::cached(const RuntimeEntry &entry,
                                                  const Configuration &configuration) {
  auto fitted = fit(configuration, module->space);
  if (!fitted)
    return std::unexpected(std::move(fitted.error()));
  auto context = context_of(entry.handler(), *fitted, {});
  if (!context)
    return std::unexpected(std::move(context.error()));
  if (is_native(*context))
    return nullptr;
  if (context->memory)
    if (const auto &read = context->memory->read(); !read)
      return std::unexpected(read.error());
  runtime::VariantRef variant = find_cached(*with_memory(cache_key(*context, pipeline), *context));
  if (!variant)
    return std::unexpected(Failure{ErrorCode::compile_failed, variant_name(*context),
                                   "was compiled, but is no longer in the code cache",
                                   "make Options::code_cache_bytes larger; if an invariant was "
                                   "revoked, request it again"});
  return variant;
}

Result<void> Runtime::Impl::make_rotation(RuntimeEntry &entry) {
  {
    const base::MutexLock lock(mutex);
    if (entry.rotation)
      return {};
  }
  auto rotation = runtime::Rotation::create(entry);
  if (!rotation)
    return std::unexpected(std::move(rotation.error()));
  auto stub = runtime::compile_now(*quick_compile_queue,
                                   {"rotation stub", core::readable_handler_name(entry.handler())},
                                   [handler = entry.handler(), site = (*rotation)->site()](
                                       runtime::Worker &worker, const core::Deadline &deadline) {
                                     return worker.make_rotation_stub(handler, site, deadline);
                                   });
  if (!stub)
    return std::unexpected(std::move(stub.error()));
  (*rotation)->set_stub(std::move(*stub));
  const base::MutexLock lock(mutex);
  if (!entry.rotation) {
    entry.rotation = std::move(*rotation);
    rotating.push_back(&entry);
  }
  return {};
}

class RuntimeRotation final : public CallRotation {
public:
  RuntimeRotation(Runtime &runtime, const std::string &handler)
      : runtime_(runtime), impl_(*runtime.impl_), entry_(entry_of(impl_, handler)) {
    or_throw(impl_.make_rotation(entry_));
  }
  ~RuntimeRotation() override { stop(); }
  RuntimeRotation(const RuntimeRotation &) = delete;
  RuntimeRotation &operator=(const RuntimeRotation &) = delete;

  void activate(const Configuration &configuration) override { runtime_.specialize(configuration); }

  Result<Started> start(std::span<const Configuration> others, double budget) override {
    Started started{.failures = std::vector<std::optional<Failure>>(others.size())};
    compare_first_calls(others);
    std::vector<runtime::VariantRef> lanes(others.size() + 1);
    for (std::size_t i = 0; i < others.size(); ++i)
      if (auto variant = variant_of(others[i]))
        lanes[i + 1] = std::move(*variant);
      else
        started.failures[i] = std::move(variant.error());
    const base::MutexLock lock(impl_.mutex);
    if (const auto *plan = entry_.rotation->plan(); plan && plan->number != plan_)
      return std::unexpected(Failure{ErrorCode::bad_objective, entry_.handler(),
                                     "is being measured by another explorer",
                                     "let one explorer at a time measure a handler by its calls"});
    lanes[0] = entry_.variant();
    // Invariants may have been revoked between the look-up and now.
    for (std::size_t i = 0; i < others.size(); ++i)
      if (lanes[i + 1] &&
          !runtime::Registry::instance().are_valid(lanes[i + 1]->code->invariants)) {
        started.failures[i] =
            Failure{ErrorCode::bad_invariant, lanes[i + 1]->name,
                    "depends on an invariant that was revoked", "request it again"};
        lanes[i + 1] = nullptr;
      }
    started.plan = plan_ = entry_.rotation->start(lanes, budget);
    for (std::size_t i = 0; i < others.size(); ++i)
      if (started.failures[i])
        entry_.rotation->set_out(i + 1, true);
    return started;
  }

  void stop() override {
    const base::MutexLock lock(impl_.mutex);
    if (is_on())
      entry_.rotation->stop();
  }

  void set_out(std::size_t lane, bool is_out) override {
    const base::MutexLock lock(impl_.mutex);
    if (is_on())
      entry_.rotation->set_out(lane, is_out);
  }

  bool take(std::vector<runtime::RotationSample> &samples) override {
    entry_.rotation->take(samples);
    const base::MutexLock lock(impl_.mutex);
    return is_on();
  }

  [[nodiscard]] std::string handler() const override {
    return core::readable_handler_name(entry_.handler());
  }

  void log(std::string_view event, std::string_view fields) override {
    runtime_.log_event(event, fields);
  }

private:
  static RuntimeEntry &entry_of(Runtime::Impl &impl, const std::string &handler) {
    if (!handler.empty())
      return *or_throw(impl.entries.find(handler));
    std::set<std::string> with_points;
    for (const Point &point : impl.module->space.points())
      with_points.insert(point.handlers.begin(), point.handlers.end());
    if (with_points.size() != 1)
      throw Error(
          {ErrorCode::bad_objective, "handler",
           "is not named, and " + std::to_string(with_points.size()) + " handlers have points",
           "name the one whose calls are to be timed: Objective::cost_of_call(name)"});
    return *or_throw(impl.entries.find(*with_points.begin()));
  }

  Result<runtime::VariantRef> variant_of(const Configuration &configuration) {
    try {
      runtime_.prepare(configuration).get(); // has nothing to do, unless the cache has dropped it
    } catch (const Error &error) {
      return std::unexpected(error.failure());
    }
    const base::MutexLock lock(impl_.mutex);
    return impl_.cached(entry_, configuration);
  }

  /// Calls of rotated variants are not compared with the native code: activates each that is new
  /// alone until its first calls have been compared, and then the previous one again.
  void compare_first_calls(std::span<const Configuration> others) {
    for (const Configuration &configuration : others) {
      const auto variant = variant_of(configuration);
      if (!variant || !*variant || !(*variant)->trust->is_first)
        continue;
      runtime::VariantRef before;
      std::uint64_t request = 0;
      {
        const base::MutexLock lock(impl_.mutex);
        if (!entry_.checker || entry_.checker->refusal())
          return;
        if (!entry_.checker->can_compare(*(*variant)->trust))
          continue;
        if (is_on())
          entry_.rotation->stop();
        before = entry_.variant();
        request = entry_.request();
        switch_to(*variant, request);
      }
      (void)FirstComparisons(runtime_).wait({});
      const base::MutexLock lock(impl_.mutex);
      if (entry_.request() != request)
        continue;
      // An invariant that it depends on may have been revoked while it was not active.
      if (before && !runtime::Registry::instance().are_valid(before->code->invariants))
        before = impl_.best_remaining(*before, 0);
      switch_to(before, request);
    }
  }

  /// Does nothing if the variant depends on an invariant that was revoked. The lock must be held.
  void switch_to(const runtime::VariantRef &variant, std::uint64_t request) {
    impl_.mutex.assert_held();
    if (variant && !runtime::Registry::instance().are_valid(variant->code->invariants))
      return;
    impl_.lead(entry_, variant, request);
    impl_.verifier.activated(entry_);
  }

  /// The lock must be held.
  [[nodiscard]] bool is_on() const {
    const auto *plan = entry_.rotation->plan();
    return plan && plan->number == plan_;
  }

  Runtime &runtime_;
  Runtime::Impl &impl_;
  RuntimeEntry &entry_;
  std::uint64_t plan_ = 0; ///< The number of the last plan that was started here.
};

std::unique_ptr<CallRotation> rotate_calls(Runtime &runtime, const std::string &handler) {
  return std::make_unique<RuntimeRotation>(runtime, handler);
}

} // namespace sartor

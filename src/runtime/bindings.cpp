// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers with bound arguments.
#include <algorithm>
#include <set>

#include "base/default_floats.h"
#include "base/life.h"
#include "core/space/bound_arguments.h"
#include "core/space/fit.h"
#include "runtime/impl.h"
#include "runtime/jit/helper.h"
#include "runtime/request.h"

namespace sartor {

namespace {

// Returns the sets of arguments that earlier stages knew; each contains the one before.
std::vector<std::set<unsigned>> stages_of(const detail::BoundEntry &before,
                                          const std::map<unsigned, BoundArgument> &arguments) {
  std::vector<std::set<unsigned>> stages = before.stages;
  std::set<unsigned> &last = stages.emplace_back();
  for (const auto &[index, argument] : before.arguments)
    last.insert(index);
  std::erase_if(stages, [&](const std::set<unsigned> &known) {
    return known.size() >= arguments.size() ||
           !std::ranges::all_of(known, [&](unsigned index) { return arguments.contains(index); });
  });
  return stages;
}

} // namespace

Result<detail::BoundEntry *> Runtime::Impl::bind(RuntimeEntry &handler,
                                                 std::map<unsigned, BoundArgument> arguments,
                                                 const detail::BoundEntry *before) {
  const base::DefaultFloats floats;
  const core::HandlerModule::Handler *about = nullptr;
  const bool active = is_active();
  if (active) {
    auto known = entries.handler_of(handler);
    if (!known)
      return std::unexpected(std::move(known.error()));
    about = *known;
    auto fitted = fit_arguments(*about, arguments);
    if (!fitted)
      return std::unexpected(std::move(fitted.error()));
    arguments = std::move(*fitted);
  }
  base::MutexLock lock(mutex);
  if (active != is_active()) { // the runtime could be opened in between
    lock.unlock();
    return bind(handler, std::move(arguments), before);
  }
  const std::string name = about ? about->name : handler.handler();
  std::string key = name;
  std::optional<core::Context> context;
  const Configuration configuration = before ? before->configuration : newest();
  if (!active) {
    core::Context bound;
    bound.arguments = arguments;
    key += core::text(bound);
  }
  while (active) {
    // The request for a configuration that does not fit fails.
    const auto fitted = fit(configuration, module->space).value_or(Configuration());
    auto made = context_of(name, fitted, arguments);
    if (!made)
      return std::unexpected(std::move(made.error()));
    context = std::move(*made);
    key = name + core::text(*context);
    if (context->memory)
      key += "\nreach " + std::to_string(context->memory->number());
    if (arguments.empty() || bindings.contains(key) || bindings.has_room(name))
      break;
    arguments.erase(bindings.least_selective(name, arguments));
  }
  if (detail::BoundEntry *shared = bindings.share(key))
    return shared;
  auto created = std::make_unique<detail::BoundEntry>(*this, name, handler.generic());
  created->configuration = configuration;
  if (overrides.is_off(name))
    created->switch_off(true);
  if (before)
    created->stages = stages_of(*before, arguments);
  if (context)
    context->stages = created->stages;
  created->arguments = std::move(arguments);
  detail::BoundEntry &entry = bindings.add(key, std::move(created));
  auto request = std::make_shared<Request>(*this, runtime::next_request(), Purpose::activate);
  request->impl.mutex.assert_held(); // the same lock: the request belongs to this runtime
  entry.ready = request->promise.get_future().share();
  if (!active && keeps_waiting) {
    entry.unopened = std::exchange(request->promise, {});
    request->begin();
    lock.unlock();
    lazy_opening->start();
    return &entry;
  }
  if (context)
    request->add_bound(entry, std::move(*context));
  request->begin();
  return &entry;
}

void Runtime::Impl::acquire(detail::BoundEntry &entry) {
  const base::MutexLock lock(mutex);
  ++entry.shares;
}

void Runtime::Impl::release(detail::BoundEntry &entry) {
  const base::MutexLock lock(mutex);
  release_locked(entry);
}

void Runtime::Impl::release_locked(detail::BoundEntry &entry) {
  if (entry.shares == 1) {
    forget_dependency(entry);
    verifier.forget(entry);
  }
  bindings.release(entry);
}

Result<void> Runtime::Impl::limit_bindings(RuntimeEntry &handler, std::size_t most,
                                           std::vector<unsigned> least_selective_first) {
  if (auto opened = open_now(); !opened || !is_active())
    return opened;
  const auto about = entries.handler_of(handler);
  if (!about)
    return std::unexpected(about.error());
  if (auto known = check_parameters(**about, least_selective_first); !known)
    return known;
  const base::MutexLock lock(mutex);
  bindings.limit((*about)->name, most, std::move(least_selective_first));
  return {};
}

detail::Share::Share(BoundEntry &entry, std::shared_ptr<void> runtime)
    : entry_(&entry), target_(&entry), runtime_(std::move(runtime)) {}

// While the process exits, remaining threads may still call a static binding.
detail::Share::~Share() {
  if (entry_ && !base::is_exiting())
    entry_->owner.release(*entry_);
}

detail::Share::Share(const Share &other)
    : entry_(other.entry_), target_(other.target_), runtime_(other.runtime_) {
  if (entry_)
    entry_->owner.acquire(*entry_);
}

void *detail::Share::function(const std::map<unsigned, BoundArgument> &arguments) const {
  return or_throw(entry_->owner.entries.function_of(*entry_, arguments));
}

detail::Share detail::Share::further(std::map<unsigned, BoundArgument> arguments) const {
  return {*or_throw(entry_->owner.bind(*entry_, std::move(arguments), entry_)), runtime_};
}

VariantInfo detail::Share::wait() const {
  const auto &made = runtime::get_helping(entry_->ready);
  return made.empty() ? VariantInfo() : made.front(); // none if nothing can be made
}

bool detail::Share::ready() const noexcept {
  return entry_->ready.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

} // namespace sartor

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers with bound arguments.
#include <algorithm>

#include "point/fit.h"
#include "runtime/impl.h"
#include "runtime/request.h"

namespace sartor {

namespace {

Failure bad_binding(const point::HandlerModule::Handler &handler, std::string message,
                    const char *remedy) {
  return {ErrorCode::bad_binding, handler.readable_name(), std::move(message), remedy};
}

// Arguments as the handler's parameters hold them.
Result<std::map<unsigned, Value>> fit_arguments(const point::HandlerModule::Handler &handler,
                                                const std::map<unsigned, Value> &arguments) {
  if (!handler.binding_problem.empty())
    return std::unexpected(
        bad_binding(handler, handler.binding_problem, "pass structures by pointer or reference"));
  std::map<unsigned, Value> fitted;
  for (const auto &[index, value] : arguments) {
    if (index >= handler.parameters.size())
      return std::unexpected(bad_binding(handler,
                                         "has " + std::to_string(handler.parameters.size()) +
                                             " parameters, argument " + std::to_string(index) +
                                             " was bound",
                                         "count arguments from 0"));
    // C++ says of each integer whether it is signed, the handler's code does not.
    PointType type = handler.parameters[index];
    if (type.kind == PointType::Class::integer)
      type.is_signed = value.is_integer() && !value.is_large() && value.integer() < 0;
    auto held = fit(value, type);
    if (!held)
      return std::unexpected(
          bad_binding(handler, "argument " + std::to_string(index) + ": " + held.error().message,
                      "bind a value of the parameter's type"));
    fitted.emplace(index, std::move(*held));
  }
  return fitted;
}

// The argument to do without first.
unsigned least_telling(const std::map<unsigned, Value> &arguments,
                       const std::vector<unsigned> &declared) {
  for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument)
    if (std::ranges::find(declared, argument->first) == declared.end())
      return argument->first;
  return *std::ranges::find_if(declared, [&](unsigned index) { return arguments.contains(index); });
}

} // namespace

std::size_t Runtime::Impl::bound_entries(const std::string &handler) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      bindings, [&](const auto &bound) { return bound.second->handler() == handler; }));
}

Result<detail::BoundEntry *> Runtime::Impl::bind(RuntimeEntry &handler,
                                                 std::map<unsigned, Value> arguments) {
  const point::HandlerModule::Handler *about = nullptr;
  if (module) {
    about = *module->find(handler.handler());
    auto fitted = fit_arguments(*about, arguments);
    if (!fitted)
      return std::unexpected(std::move(fitted.error()));
    arguments = std::move(*fitted);
  }
  const std::lock_guard lock(mutex);
  std::string key = handler.handler();
  std::optional<specialize::Context> context;
  while (module) {
    const Configuration configuration =
        requested.empty() ? Configuration() : requested.rbegin()->second;
    auto made = context_of(handler.handler(), *fit(configuration, module->space), arguments);
    if (!made)
      return std::unexpected(std::move(made.error()));
    context = std::move(*made);
    key = handler.handler() + specialize::text(*context);
    const BindingLimit &limit = binding_limits[handler.handler()];
    if (arguments.empty() || bindings.contains(key) ||
        bound_entries(handler.handler()) < limit.most)
      break;
    arguments.erase(least_telling(arguments, limit.least_telling_first));
  }
  auto &entry = bindings[key];
  if (entry) {
    ++entry->shares;
    return entry.get();
  }
  entry = std::make_unique<detail::BoundEntry>(*this, handler.handler(), handler.generic());
  entry->key = key;
  entry->shares = 1;
  auto request =
      std::make_shared<Request>(*this, requests = jit::next_request(), Purpose::put_in_force);
  entry->ready = request->promise.get_future().share();
  if (context)
    request->add_bound(*entry, std::move(*context));
  request->begin();
  return entry.get();
}

void Runtime::Impl::acquire(detail::BoundEntry &entry) {
  const std::lock_guard lock(mutex);
  ++entry.shares;
}

void Runtime::Impl::release(detail::BoundEntry &entry) {
  const std::lock_guard lock(mutex);
  release_locked(entry);
}

void Runtime::Impl::release_locked(detail::BoundEntry &entry) {
  if (--entry.shares == 0)
    bindings.erase(std::string(entry.key));
}

Result<void> Runtime::Impl::limit_bindings(RuntimeEntry &handler, std::size_t most,
                                           std::vector<unsigned> least_telling_first) {
  if (!module)
    return {};
  const point::HandlerModule::Handler &about = **module->find(handler.handler());
  for (const unsigned index : least_telling_first)
    if (index >= about.parameters.size())
      return std::unexpected(
          bad_binding(about, "has no argument " + std::to_string(index) + " that could be dropped",
                      "count arguments from 0"));
  const std::lock_guard lock(mutex);
  binding_limits[handler.handler()] = {most, std::move(least_telling_first)};
  return {};
}

detail::Share::Share(BoundEntry &entry) : entry_(&entry), target_(&entry) {}

detail::Share::~Share() {
  if (entry_)
    entry_->owner.release(*entry_);
}

detail::Share::Share(const Share &other) : entry_(other.entry_), target_(other.target_) {
  if (entry_)
    entry_->owner.acquire(*entry_);
}

void *detail::Share::function(const std::map<unsigned, Value> &arguments) const {
  return or_throw(entry_->owner.function_of(*entry_, arguments));
}

void detail::Share::wait() const { (void)entry_->ready.get(); }

} // namespace sartor

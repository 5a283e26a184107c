// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/overrides.h"

#include <algorithm>
#include <utility>

#include "runtime/impl.h"

namespace sartor {

namespace {

/// The handlers that a label or a handler's name means.
Result<std::set<std::string>> handlers_named(const std::string &name,
                                             const core::HandlerModule &module) {
  std::set<std::string> handlers;
  for (const Point &point : module.space.points())
    if (point.label == name)
      handlers.insert(point.handlers.begin(), point.handlers.end());
  if (!handlers.empty())
    return handlers;
  auto handler = module.find(name);
  if (!handler)
    return std::unexpected(Failure{ErrorCode::unknown_handler, name,
                                   "is neither a handler nor a label of a point",
                                   "list both with `sartor top` and `sartor space PROGRAM`"});
  handlers.insert((*handler)->name);
  return handlers;
}

} // namespace

void Overrides::find_handlers(const core::HandlerModule *module) {
  handlers_.clear();
  if (!module)
    return;
  for (const std::string &name : names_)
    if (auto found = name.empty() ? Result<std::set<std::string>>() : handlers_named(name, *module))
      handlers_.merge(*found);
}

Result<void> Overrides::switch_off(const std::string &name, const core::HandlerModule *module) {
  if (!name.empty() && module)
    if (auto found = handlers_named(name, *module); !found)
      return std::unexpected(std::move(found.error()));
  const base::MutexLock lock(mutex_);
  names_.insert(name);
  find_handlers(module);
  return {};
}

Result<void> Overrides::switch_on(const std::string &name, const core::HandlerModule *module) {
  const base::MutexLock lock(mutex_);
  if (name.empty())
    names_.clear();
  else if (names_.erase(name) == 0)
    return std::unexpected(Failure{ErrorCode::unknown_handler, name, "is not switched off",
                                   "list what is switched off with `sartor top`"});
  find_handlers(module);
  return {};
}

std::vector<std::string> Overrides::resolve(const core::HandlerModule &module) {
  const base::MutexLock lock(mutex_);
  std::vector<std::string> unknown;
  for (const std::string &name : names_)
    if (!name.empty() && !handlers_named(name, module))
      unknown.push_back(name);
  for (const std::string &name : unknown)
    names_.erase(name);
  find_handlers(&module);
  return unknown;
}

bool Overrides::is_off(const std::string &handler) const {
  const base::MutexLock lock(mutex_);
  return names_.contains("") || handlers_.contains(handler);
}

std::set<std::string> Overrides::switched_off() const {
  const base::MutexLock lock(mutex_);
  return names_;
}

void Overrides::pin(std::optional<Configuration> configuration) {
  const base::MutexLock lock(mutex_);
  pinned_ = std::move(configuration);
}

std::optional<Configuration> Overrides::pinned() const {
  const base::MutexLock lock(mutex_);
  return pinned_;
}

bool Overrides::any() const {
  const base::MutexLock lock(mutex_);
  return !names_.empty() || pinned_;
}

RuntimeOverrides::RuntimeOverrides(const Runtime &runtime) : impl_(*runtime.impl_) {}

bool RuntimeOverrides::any() const { return impl_.overrides.any(); }

void RuntimeOverrides::route_only(std::set<std::string> handlers) const {
  impl_.entries.route_only(std::move(handlers));
}

std::shared_ptr<core::DiskCache> RuntimeOverrides::disk_cache() const { return impl_.stores.disk; }

} // namespace sartor

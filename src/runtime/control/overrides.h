// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_OVERRIDES_H
#define SARTOR_RUNTIME_CONTROL_OVERRIDES_H

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/runtime.hpp>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/cache/disk_cache.h"
#include "core/space/module.h"

namespace sartor {

/// An operator's overrides in a runtime: handlers that are switched off, and a pinned
/// configuration. Thread-safe. Its lock is taken after the runtime's, and no other one under it.
class Overrides {
public:
  /// Switches off what `name` names: a handler, the handlers with a point of this label, or, if it
  /// is empty, all. Without a module, names are resolved later. Fails with unknown_handler.
  Result<void> switch_off(const std::string &name, const core::HandlerModule *module);
  /// Undoes switch_off() of the same name; of all names if it is empty. Fails with unknown_handler
  /// if that name is not switched off.
  Result<void> switch_on(const std::string &name, const core::HandlerModule *module);
  /// Resolves the names that were switched off before there was a module. Returns those that it
  /// does not have.
  std::vector<std::string> resolve(const core::HandlerModule &module);

  [[nodiscard]] bool is_off(const std::string &handler) const;
  /// The names that are switched off; an empty one stands for all handlers.
  [[nodiscard]] std::set<std::string> switched_off() const;

  void pin(std::optional<Configuration> configuration);
  [[nodiscard]] std::optional<Configuration> pinned() const;

  /// True if anything is overridden.
  [[nodiscard]] bool any() const;

private:
  void find_handlers(const core::HandlerModule *module) SARTOR_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::set<std::string> names_ SARTOR_GUARDED_BY(mutex_);
  std::set<std::string> handlers_ SARTOR_GUARDED_BY(mutex_); ///< The handlers that they name.
  std::optional<Configuration> pinned_ SARTOR_GUARDED_BY(mutex_);
};

/// A tuner's access to what a runtime overrides, to the direct calls that it routes, and to its
/// disk cache.
class RuntimeOverrides {
public:
  explicit RuntimeOverrides(const Runtime &runtime);
  /// True while an operator has switched handlers off or pinned a configuration. Measured variants
  /// are then not those that the program activated.
  [[nodiscard]] bool any() const;
  /// Leaves the direct calls of all other handlers to runtimes of the program. Precedes the first
  /// request.
  void route_only(std::set<std::string> handlers) const;
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<core::DiskCache> disk_cache() const;

private:
  Runtime::Impl &impl_;
};

} // namespace sartor

#endif

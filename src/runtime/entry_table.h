// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ENTRY_TABLE_H
#define SARTOR_RUNTIME_ENTRY_TABLE_H

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/module.h>

#include "base/event_log.h"
#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/space/module.h"
#include "runtime/entries.h"
#include "runtime/jit/compile_queue.h"

namespace sartor {

/// The entries of a runtime's handlers, created on demand, and plain functions that call them.
/// Without a module, the entries of native functions. An entry lives until clear(). Thread-safe.
/// Its lock is taken after the runtime's; under it only the locks of code memory and of the list of
/// retired objects are taken.
class EntryTable {
public:
  explicit EntryTable(Runtime::Impl &owner) : owner_(owner) {}

  /// Adds the native code of these modules, for look-ups by name without a module.
  void add_native(std::span<const sartor_module> modules);
  /// From now on entries are those of the module's handlers. Entries that were created without it
  /// become those of the handlers with the same code. The queues outlive the table's use.
  void open(std::shared_ptr<const core::HandlerModule> module, runtime::CompileQueue &compile_queue,
            runtime::CompileQueue &quick_compile_queue, std::shared_ptr<EventLog> events);
  /// Leaves the direct calls of all other handlers to other runtimes. Precedes the first request.
  void route_only(std::set<std::string> handlers);
  void clear();

  Result<RuntimeEntry *> find(void *function) SARTOR_EXCLUDES(base::any_mutex);
  /// Fails with wrong_signature if `forms` is not empty and differs from the handler's.
  Result<RuntimeEntry *> find(std::string_view name, std::span<const detail::TypeForm> forms = {})
      SARTOR_EXCLUDES(base::any_mutex);
  Result<RuntimeEntry *> entry_of(const core::HandlerModule::Handler &handler)
      SARTOR_EXCLUDES(base::any_mutex);
  /// Returns the handler of an entry, once there is a module. Fails with unknown_handler for an
  /// entry that was created without it, for a function that is no handler.
  [[nodiscard]] Result<const core::HandlerModule::Handler *>
  handler_of(const RuntimeEntry &entry) const;
  /// Returns null if the handler has no entry yet.
  [[nodiscard]] RuntimeEntry *known(const std::string &handler) const;
  [[nodiscard]] std::vector<RuntimeEntry *> all() const;

  /// Returns a plain function that passes `arguments` itself. Fails with bad_binding if the
  /// remaining arguments would be passed in another way than the handler takes them.
  Result<void *> function_of(RuntimeEntry &entry,
                             const std::map<unsigned, BoundArgument> &arguments)
      SARTOR_EXCLUDES(base::any_mutex);
  /// As function_of(), for as long as `held`, which is set, and is null for generic code. Bindings
  /// with different arguments may share an entry, if it does not know all of them: each has its
  /// function.
  Result<void *> hold_function(RuntimeEntry &entry,
                               const std::map<unsigned, BoundArgument> &arguments,
                               std::shared_ptr<runtime::Code> &held)
      SARTOR_EXCLUDES(base::any_mutex);
  /// Resets `held`; the last one destroys the function.
  void release_function(RuntimeEntry &entry, const std::map<unsigned, BoundArgument> &arguments,
                        std::shared_ptr<runtime::Code> &held);
  /// As hold_function(), in the background: `take` is called on another thread, or before this
  /// returns. The entry and `held` must outlive that.
  Result<void> make_function(RuntimeEntry &entry,
                             const std::map<unsigned, BoundArgument> &arguments,
                             std::shared_ptr<runtime::Code> &held,
                             std::function<void(Result<void *>)> take) SARTOR_RUNS_PROGRAM;

private:
  [[nodiscard]] std::shared_ptr<const core::HandlerModule> module() const;
  [[nodiscard]] bool may_be_handler(const void *function) const;
  /// Returns null if there is a module.
  RuntimeEntry *native_entry(void *function);
  /// Creates the entry of a handler that the program calls directly. Direct calls are routed to the
  /// entry if possible; if not, the event `direct_calls` gives the reason.
  [[nodiscard]] std::unique_ptr<RuntimeEntry>
  routed_entry(const core::HandlerModule &module, const core::HandlerModule::Handler &handler,
               sartor_direct &direct);
  [[nodiscard]] Result<runtime::VariantRef>
  compile_generic(const core::HandlerModule::Handler &handler) SARTOR_EXCLUDES(base::any_mutex);
  /// Returns null if it has to be made. `held` is null for a function that stays as long as its
  /// entry.
  Result<void *> find_function(RuntimeEntry &entry,
                               const std::map<unsigned, BoundArgument> &arguments,
                               std::shared_ptr<runtime::Code> *held)
      SARTOR_EXCLUDES(base::any_mutex);
  void *add_function(RuntimeEntry &entry, const std::map<unsigned, BoundArgument> &arguments,
                     std::unique_ptr<runtime::Code> code, std::shared_ptr<runtime::Code> *held);
  Result<void *> find_or_make_function(RuntimeEntry &entry,
                                       const std::map<unsigned, BoundArgument> &arguments,
                                       std::shared_ptr<runtime::Code> *held)
      SARTOR_EXCLUDES(base::any_mutex);

  Runtime::Impl &owner_;
  std::map<std::string, void *> native_; ///< Code by name.
  // Set before `module_`, and not changed afterwards.
  runtime::CompileQueue *compile_queue_ = nullptr;
  runtime::CompileQueue *quick_compile_queue_ = nullptr;
  std::shared_ptr<EventLog> events_;

  mutable base::Mutex mutex_;
  std::shared_ptr<const core::HandlerModule> module_ SARTOR_GUARDED_BY(mutex_);
  /// Keyed by handler, or by the address of native code.
  std::map<std::string, std::unique_ptr<RuntimeEntry>> entries_ SARTOR_GUARDED_BY(mutex_);
  /// The handlers whose direct calls may be routed; all if absent.
  std::optional<std::set<std::string>> routed_ SARTOR_GUARDED_BY(mutex_);
  /// The generic variants of handlers without native code.
  std::map<std::string, runtime::VariantRef> generic_variants_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor

#endif

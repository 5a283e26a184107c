// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ENTRIES_H
#define SARTOR_RUNTIME_ENTRIES_H

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sartor/binding.hpp>
#include <sartor/runtime.hpp>

#include "core/request/context.h"
#include "runtime/codemem/code.h"
#include "runtime/dispatch/entry.h"
#include "runtime/dispatch/rotation.h"
#include "runtime/verify/call_checker.h"

namespace sartor {

/// A plain function that calls an entry.
struct EntryFunction {
  std::shared_ptr<runtime::Code> code;
  bool stays = false; ///< As long as the entry; else while it is held.

  /// Returns its address, from now on held by `held`; null: it stays.
  void *given(std::shared_ptr<runtime::Code> *held) {
    if (held)
      *held = code;
    else
      stays = true;
    return code->entry();
  }
};

/// An entry, and the plain functions that call it, created on demand.
struct RuntimeEntry : runtime::Entry {
  RuntimeEntry(Runtime::Impl &impl, std::string handler, void *code,
               sartor_direct *direct = nullptr)
      : Entry(std::move(handler), code, direct), owner(impl) {}

  Runtime::Impl &owner;
  /// Keyed by the arguments that they pass themselves. Guarded by the lock of EntryTable.
  std::map<std::map<unsigned, BoundArgument>, EntryFunction> functions;
  /// Null until the handler is first measured by calls; then it stays. Guarded by the runtime's
  /// lock.
  std::unique_ptr<runtime::Rotation> rotation;
  /// Null until its calls are to be compared with the native code.
  std::shared_ptr<runtime::CallChecker> checker;
  /// The context that was requested and has been activated, with the memory from which it was last
  /// made.
  std::optional<core::Context> wanted;
  std::uint64_t wanted_by = 0; ///< The number of the request.
};

/// Every entry target outside this library was created by a Runtime.
inline RuntimeEntry &entry_of(const detail::EntryTarget &target) {
  return const_cast<RuntimeEntry &>(static_cast<const RuntimeEntry &>(target));
}

/// The entry of one context with bound arguments, shared by all bindings with that context.
/// Bindings call it with all arguments, and the variant ignores the bound ones: so the native code
/// can replace it, and so can a variant with fewer bound arguments.
struct detail::BoundEntry final : RuntimeEntry {
  using RuntimeEntry::RuntimeEntry;

  std::string key;
  /// The arguments that are bound, as far as they are known, the configuration, and the stages.
  std::map<unsigned, BoundArgument> arguments;
  Configuration configuration;
  std::vector<std::set<unsigned>> stages;
  /// The number of bindings and running requests. Guarded by the runtime's lock; the last one
  /// destroys the entry.
  std::size_t shares = 0;
  std::shared_future<std::vector<VariantInfo>> ready;
  /// That of `ready`, while the handlers are not open.
  std::optional<std::promise<std::vector<VariantInfo>>> unopened;
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ENTRIES_H
#define SARTOR_RUNTIME_ENTRIES_H

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

namespace sartor {

/// An entry, and the plain functions that go to it once somebody has asked for one.
struct RuntimeEntry : runtime::Entry {
  RuntimeEntry(Runtime::Impl &impl, std::string handler, void *code,
               sartor_direct *direct = nullptr)
      : Entry(std::move(handler), code, direct), owner(impl) {}

  Runtime::Impl &owner;
  /// By the arguments that they pass by themselves. Guarded by the runtime's lock, as `rotation`
  /// is.
  std::map<std::map<unsigned, BoundArgument>, std::unique_ptr<runtime::Code>> functions;
  /// Null before the handler was measured by calls; stays once it is there.
  std::unique_ptr<runtime::Rotation> rotation;
  /// What was asked for and has been put in force, with the memory that it was last made from.
  std::optional<core::Context> wanted;
};

/// Every entry that leaves this library was made by a Runtime.
inline RuntimeEntry &entry_of(const detail::EntryTarget &target) {
  return const_cast<RuntimeEntry &>(static_cast<const RuntimeEntry &>(target));
}

/// The entry of one context with bound arguments, shared by all bindings that come to it. Those
/// call it with all arguments, and the variant ignores the bound ones: so the native code can stand
/// in for it, and a variant that knows fewer of them.
struct detail::BoundEntry final : RuntimeEntry {
  using RuntimeEntry::RuntimeEntry;

  std::string key;
  /// What it is bound to, as far as it knows it, in what configuration, and at which stages.
  std::map<unsigned, BoundArgument> arguments;
  Configuration configuration;
  std::vector<std::set<unsigned>> stages;
  /// Bindings, and requests under way. Guarded by the runtime's lock; the last one takes the entry
  /// along.
  std::size_t shares = 0;
  std::shared_future<std::vector<VariantInfo>> ready;
};

} // namespace sartor

#endif

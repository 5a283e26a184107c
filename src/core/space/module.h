// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_MODULE_H
#define SARTOR_CORE_SPACE_MODULE_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/module.h>
#include <sartor/space.hpp>

#include "base/result.h"
#include "core/space/signature.h"

namespace sartor::core {

/// Behind the name of a handler that is called directly: what its variants leave into, and its
/// sartor_direct.
constexpr const char *kNativeSuffix = ".sartor.native";
constexpr const char *kDirectSuffix = ".sartor.direct";

/// A handler module as everything after it needs it: prepared, serialised, with its space. A plain
/// value without any LLVM type; each compiling thread parses its own copy of `bitcode`.
struct HandlerModule {
  struct Handler {
    std::string name; ///< As in the source (mangled for C++); unique.
    /// Key in `symbols` of the native code that its variants leave into.
    std::string native_name;
    /// Nothing where the module does not tell.
    std::optional<Signature> signature = {};
    std::string native_only = {};  ///< Why there are no variants of it; empty where there are.
    bool has_loose_floats = false; ///< See has_loose_floats() in compiler/frontend/exact_floats.h.

    /// Demangled, without parameters.
    [[nodiscard]] std::string readable_name() const;
    /// Key in `symbols` of what the program calls.
    [[nodiscard]] std::string symbol() const;
  };

  /// Plain data of the module's that has no native half, and must have an address that lasts.
  struct Constant {
    std::string name;
    std::string bytes;
    std::uint32_t alignment = 1; ///< A power of two.
  };

  std::string source; ///< Files that it was made from, for people.
  std::string bitcode;
  /// Tells the module from others: made of the bitcode as it was embedded, so that it is the same
  /// on every machine.
  std::string identity;
  Space space;
  std::vector<Handler> handlers;
  /// Of which the program has other definitions in force than these files', each name with a new
  /// line.
  std::string replaced;
  std::vector<std::string> may_be_missing; ///< Names whose address may be null.
  std::vector<Failure> left_out;           ///< Why handler files of the program are not in it.
  std::vector<Constant> constants;         ///< Of a module file.
  /// What the names of the bitcode stand for. Names that are missing are looked for among the
  /// program's dynamic symbols.
  std::map<std::string, void *, std::less<>> symbols;
  /// Functions that another process may have called: from the tables beside the bitcode alone.
  std::vector<sartor_foldable> foldables;

  /// Gives the constants a place for ever, and takes the addresses of symbols, and the files'
  /// names, from the tables beside the bitcode. Once.
  void resolve(std::span<const sartor_module> tables);
  /// Of a symbol, or a place behind one (place.h).
  [[nodiscard]] std::optional<std::uintptr_t> address_of(std::string_view place) const;
  /// By exact name, or by demangled name where that is unambiguous; fails with unknown_handler.
  [[nodiscard]] Result<const Handler *> find(std::string_view name) const;
  /// What direct calls of it go by; null where there are none.
  [[nodiscard]] sartor_direct *direct(const Handler &handler) const;
  /// By the address that it has in the program.
  [[nodiscard]] Result<const Handler *> find(const void *function) const;
};

/// See HandlerModule::replaced.
std::string replaced_in(std::span<const sartor_module> tables);

/// Leaves handlers whose bits depend on how they are compiled to their native code, and says so of
/// their points.
void keep_floats_exact(HandlerModule &module);

} // namespace sartor::core

#endif

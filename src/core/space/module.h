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

/// Suffixes of the name of a handler that is called directly: the target of its variants' side
/// exits, and its sartor_direct.
constexpr const char *kNativeSuffix = ".sartor.native";
constexpr const char *kDirectSuffix = ".sartor.direct";

/// A handler module in the form that all later stages use: prepared, serialized, with its space. A
/// plain value without any LLVM type; each compiling thread parses its own copy of `bitcode`.
struct HandlerModule {
  struct Handler {
    std::string name; ///< As in the source (mangled for C++); unique.
    /// Key in `symbols` of the native code that its variants' side exits go to.
    std::string native_name;
    /// Nothing if the module does not describe it.
    std::optional<Signature> signature = {};
    std::string native_only = {};  ///< The reason why it has no variants; empty if it has.
    bool has_loose_floats = false; ///< See has_loose_floats() in compiler/frontend/load.cpp.

    /// Demangled, without parameters.
    [[nodiscard]] std::string readable_name() const;
    /// Key in `symbols` of the function that the program calls.
    [[nodiscard]] std::string symbol() const;
  };

  /// Constant data of the module that has no native counterpart, and must have a permanent address.
  struct Constant {
    std::string name;
    std::string bytes;
    std::uint32_t alignment = 1; ///< A power of two.
  };

  std::string source; ///< Files that it was made from, for people.
  std::string bitcode;
  /// Identifies the module: made from the bitcode as it was embedded, so that it is the same on
  /// every machine.
  std::string identity;
  Space space;
  std::vector<Handler> handlers;
  /// Names for which the program uses other definitions than those of these files, each on a line.
  std::string replaced;
  std::vector<std::string> may_be_missing; ///< Names whose address may be null.
  std::vector<Failure> left_out;   ///< The reasons why handler files of the program are not in it.
  std::vector<Constant> constants; ///< For a module file.
  /// The addresses of the bitcode's names. Names that are missing are looked up among the program's
  /// dynamic symbols.
  std::map<std::string, void *, std::less<>> symbols;
  /// Functions that another process may have called: only from the tables that come with the
  /// bitcode.
  std::vector<sartor_foldable> foldables;

  /// Gives the constants a permanent address, and takes the addresses of symbols, and the files'
  /// names, from the tables that come with the bitcode. To be called once.
  void resolve(std::span<const sartor_module> tables);
  /// The address of a symbol, or of a position after one (place.h).
  [[nodiscard]] std::optional<std::uintptr_t> address_of(std::string_view place) const;
  /// Finds a handler by exact name, or by demangled name if that is unambiguous; fails with
  /// unknown_handler.
  [[nodiscard]] Result<const Handler *> find(std::string_view name) const;
  /// The route of direct calls of it; null if there are none.
  [[nodiscard]] sartor_direct *direct(const Handler &handler) const;
  /// Finds a handler by its address in the program.
  [[nodiscard]] Result<const Handler *> find(const void *function) const;
};

/// See HandlerModule::replaced.
std::string replaced_in(std::span<const sartor_module> tables);

/// Restricts handlers whose results depend on how they are compiled to native code, and records
/// this in their points.
void keep_floats_exact(HandlerModule &module);

} // namespace sartor::core

#endif

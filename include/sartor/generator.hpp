// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_GENERATOR_HPP
#define SARTOR_GENERATOR_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sartor/invariant.hpp>
#include <sartor/space.hpp>

namespace sartor {

/// The custom point that code is generated for.
struct GeneratorInput {
  std::string label;
  std::string kind;
  std::string handler; ///< Name of the handler that is being specialized.
  Value setting;       ///< The setting of the point in the configuration.
  PointType result;    ///< The type of the point's result.
  /// The signedness of an argument of 32 bits or more may be unknown; it counts as unsigned then.
  std::vector<PointType> arguments;
};

/// Source text that defines a function with the arguments and result of the point. The function
/// replaces the call. Other definitions in the text are local to it, declarations refer to the
/// program's functions and variables; `sartor_generic`, if it is declared with the type of the
/// point's own function, is that function.
struct GeneratedCode {
  enum class Language : std::uint8_t {
    /// Compiled by clang, which is `$SARTOR_CLANG`, or the one that Sartor was built with, or the
    /// one on the path.
    c,
    /// LLVM's assembly language, of the LLVM that Sartor uses. It needs no target triple.
    llvm_ir,
  };

  Language language = Language::c;
  std::string text;
  std::string function = "specialized";
  /// For C: more flags for clang, e.g. "-I/usr/include/program".
  std::vector<std::string> flags = {};
  /// The numbers of the invariants that the code depends on: when one is revoked, the variant is
  /// deactivated.
  std::vector<std::uint64_t> invariants = {};

  /// Adds an invariant.
  void depends_on(const Invariant &invariant) { invariants.push_back(invariant.number()); }
};

/// Generates the code of custom points of one kind. Called on a compiling thread, never by two at
/// once; must not call the Runtime. An exception that it throws refuses the variant.
using Generator = std::function<GeneratedCode(const GeneratorInput &)>;

} // namespace sartor

#endif

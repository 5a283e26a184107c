// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_DECLARATIONS_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_DECLARATIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text/toml.h"
#include "compiler/plugin/write_guards/watch_table.h"

namespace sartor::compiler {

/// Kinds of points, as in points.h.
inline constexpr unsigned kEnum = 1, kRange = 2, kGeneric = 3;

/// The declared properties of a parameter or of memory.
struct DeclaredUse {
  enum class Is : std::uint8_t { nothing, dynamic, fixed, quasi_invariant };
  std::string name;
  SourcePlace place;
  Is is = Is::nothing;
  std::string type; ///< The expected type; empty if any.
};

struct DeclaredParameter : DeclaredUse {
  /// As in points.h: enum, range or generic; 0 without a point.
  unsigned kind = 0;
  std::vector<base::TomlValue> choices;
  std::string label; ///< If empty, the handler's and the parameter's name.
};

struct DeclaredFunction {
  std::string name;
  SourcePlace place;
  bool is_handler = false;
  bool is_direct = false;
  bool is_folded = false;
  std::vector<DeclaredParameter> parameters;
};

/// A global variable, or a field of a record.
struct DeclaredMemory : DeclaredUse {
  enum class Answer : std::uint8_t { replug, refuse, ask_to_refuse, ask_to_reinforce };
  std::string record; ///< Empty for a variable.
  std::vector<std::string>
      fields; ///< The fields of a variable that are meant; empty for the whole variable.
  Answer answer = Answer::replug;
  std::string function; ///< The function that is asked.
};

/// The content of declaration files, in the order of their lines.
struct Declarations {
  std::vector<DeclaredFunction> functions;
  std::vector<DeclaredMemory> memory;
};

/// An error in a line.
struct DeclarationProblem {
  SourcePlace place;
  std::string text;
};

/// Adds the content of a file and returns its errors. `name` is for messages.
std::vector<DeclarationProblem> read_declarations(std::string_view text, const std::string &name,
                                                  Declarations &to);

} // namespace sartor::compiler

#endif

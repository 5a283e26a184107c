// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_TABLE_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_TABLE_H

#include <string>
#include <vector>

#include "declarations.h"

namespace sartor::compiler {

/// A declaration, and whether this file has what it is about.
struct DeclaredRow {
  SourcePlace place;
  std::string what; ///< "handler send"
  bool is_found = false;
};

/// A global variable that this file defines and a declaration is about, or a field of it.
struct DeclaredVariable {
  std::string symbol;
  DeclaredMemory declared;       ///< By name, with the field's.
  std::uint64_t object_size = 0; ///< In bytes, as all of these.
  std::uint64_t offset = 0;      ///< In the variable.
  std::uint64_t size = 0;
};

/// What the front end's half tells LLVM's half of declarations aside from the source.
struct DeclaredTable {
  static DeclaredTable &of_this_file();

  std::vector<DeclaredRow> rows;
  std::vector<DeclaredVariable> variables;
  /// Points of parameters, by the number in the parameter's annotation.
  struct Point {
    std::string label;
    unsigned kind = 0;
    bool is_signed = false;
    bool is_bool = false;
    std::vector<std::uint64_t> choices; ///< Their bits, as wide as the parameter.
    SourcePlace place;
  };
  std::vector<Point> points;
};

/// Stands at a parameter that is a point; a number follows.
constexpr const char *kParameterAnnotation = "sartor.parameter.";

} // namespace sartor::compiler

#endif

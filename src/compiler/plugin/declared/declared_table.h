// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_DECLARED_TABLE_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_DECLARED_TABLE_H

#include <string>
#include <vector>

#include "compiler/plugin/declared/declarations.h"

namespace sartor::compiler {

/// A declaration, and whether this file contains its subject.
struct DeclaredRow {
  SourcePlace place;
  std::string what; ///< For example "handler send".
  bool is_found = false;
};

/// A global variable, or a field of one, that this file defines and a declaration names.
struct DeclaredVariable {
  std::string symbol;
  DeclaredMemory declared;       ///< By name, including the field's.
  std::uint64_t object_size = 0; ///< In bytes, as all sizes and offsets here.
  std::uint64_t offset = 0;      ///< Offset in the variable.
  std::uint64_t size = 0;
};

/// The results of the front-end half for the LLVM half of declaration files.
struct DeclaredTable {
  static DeclaredTable &of_this_file();

  std::vector<DeclaredRow> rows;
  std::vector<DeclaredVariable> variables;
  /// Points of parameters; the number in a parameter's annotation is the index.
  struct Point {
    std::string label;
    unsigned kind = 0;
    bool is_signed = false;
    bool is_bool = false;
    std::vector<std::uint64_t> choices; ///< As bits, of the parameter's width.
    SourcePlace place;
  };
  std::vector<Point> points;
};

/// The annotation of a parameter that is a point, followed by a number.
constexpr const char *kParameterAnnotation = "sartor.parameter.";

} // namespace sartor::compiler

#endif

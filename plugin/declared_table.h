// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PLUGIN_DECLARED_TABLE_H
#define SARTOR_PLUGIN_DECLARED_TABLE_H

#include <string>
#include <vector>

#include "declarations.h"

namespace sartor::plugin {

/// A declaration, and whether this file has what it is about.
struct DeclaredRow {
  SourcePlace place;
  std::string what; ///< "handler send"
  bool is_found = false;
};

/// A global variable that this file defines and a declaration is about.
struct DeclaredVariable {
  std::string symbol;
  DeclaredMemory declared;
  std::uint64_t size = 0; ///< In bytes.
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

} // namespace sartor::plugin

#endif

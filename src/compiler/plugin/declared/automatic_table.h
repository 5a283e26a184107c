// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_AUTOMATIC_TABLE_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_AUTOMATIC_TABLE_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/plugin/write_guards/watch_table.h"

namespace sartor::compiler {

/// The results of the front-end half for the LLVM half of automatic handlers (-fsartor-auto).
struct AutomaticTable {
  static AutomaticTable &of_this_file();

  /// A global variable that a handler names.
  struct Variable {
    std::string name; ///< As in the source.
    SourcePlace place;
    bool is_signed = true;
    bool is_bool = false;
  };
  struct Handler {
    std::string name;           ///< In messages: the linker name.
    std::string label;          ///< The begin of its points' labels, including the last point.
    std::uint32_t location = 0; ///< clang's encoding of its place.
    /// Other files may have the same definition, an inline function or an instance of a template.
    /// All of them must have the same points.
    bool is_shared = false;
    std::vector<std::string> labels;           ///< Of the points at its parameters.
    std::map<std::string, Variable> variables; ///< By linker name.
  };
  /// The number in a function's annotation is the index.
  std::vector<Handler> handlers;

  /// Reports that a function is no handler, or a variable no point, and why.
  std::function<void(const Handler &handler, const std::string &text)> remark;
};

/// The annotation of an automatic handler, followed by a number.
constexpr const char *kAutomaticAnnotation = "sartor.automatic.";

} // namespace sartor::compiler

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_DIRECTIVES_H
#define SARTOR_TOOLS_CC_DIRECTIVES_H

#include <string>
#include <string_view>
#include <vector>

namespace sartor::cc {

struct Inclusion {
  std::string name;
  bool is_quoted = false;
  bool is_next = false; ///< #include_next
};

/// The files that a text may include.
struct Directives {
  std::vector<Inclusion> inclusions; ///< Includes the values of macros that stand for a file.
  std::vector<std::string> macros;   ///< Macros by which a file is included: #include NAME
  std::vector<std::string> defined;  ///< Macros that stand for a file.
};

/// Comments, strings and conditions are not recognized, so that nothing is missed.
Directives directives_of(std::string_view text);

/// True if a text defines a macro.
bool defines(std::string_view text, std::string_view macro);

/// Reads `name="file"` or `name=<file>`, as in -D; adds the file to `directives`.
void add_definition(std::string_view definition, Directives &directives);

} // namespace sartor::cc

#endif

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

/// What a text may include.
struct Directives {
  std::vector<Inclusion> inclusions; ///< Those of macros that stand for one, too.
  std::vector<std::string> macros;   ///< By which something is included: #include NAME
  std::vector<std::string> defined;  ///< Macros that stand for an inclusion.
};

/// Comments, strings and conditions are not looked at, so that nothing is missed.
Directives directives_of(std::string_view text);

/// Whether a text defines a macro.
bool defines(std::string_view text, std::string_view macro);

/// `name="file"` or `name=<file>`, as -D has it; adds to `directives` what that may include.
void add_definition(std::string_view definition, Directives &directives);

} // namespace sartor::cc

#endif

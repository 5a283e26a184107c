// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_COMMAND_H
#define SARTOR_TOOLS_CC_COMMAND_H

#include <optional>
#include <string>
#include <vector>

#include "tools/cc/response_file.h"

namespace sartor::cc {

/// A compiler's command line, as far as the driver must understand it.
struct Command {
  enum class Result { program, object, assembly, preprocessed, dependencies, nothing };

  struct Input {
    std::size_t index;    ///< The index in `words`.
    std::string language; ///< The argument of -x; empty if the name determines it.
    bool is_source;       ///< A source of C or C++ that is compiled; headers are not.
  };

  Words words; ///< Without the compiler and response files.
  Result result = Result::program;
  std::vector<Input> inputs;
  bool has_linked_input = false; ///< One that is not a header, which is precompiled.
  std::optional<std::string> output;

  Words quoted;     ///< -iquote
  Words searched;   ///< -I, -isystem, in their order.
  Words afterwards; ///< -idirafter
  Words included;   ///< -include, -imacros
  std::string system_root;
  bool has_no_standard_places = false; ///< -nostdinc
  /// A file of dependencies is written next to the result, and no option gives its name.
  bool writes_dependencies = false;
  bool has_unnamed_target = false; ///< Dependencies are written, and no option names their target.
  bool links_runtime = true;       ///< A dynamic program or library is made, with libraries.
  bool has_line_markers = true;    ///< The preprocessed text has them.

  [[nodiscard]] const std::string &name(const Input &input) const { return words[input.index]; }
  [[nodiscard]] bool is_linked() const { return result == Result::program && has_linked_input; }
};

/// `words` must not contain response files.
Command read_command(Words words);

/// True if the option's argument may be the next word, for options of gcc and clang.
bool takes_next_word(const std::string &option);

} // namespace sartor::cc

#endif

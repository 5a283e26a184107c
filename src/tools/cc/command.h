// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_COMMAND_H
#define SARTOR_TOOLS_CC_COMMAND_H

#include <optional>
#include <string>
#include <vector>

#include "tools/cc/response_file.h"

namespace sartor::cc {

/// A compiler's command line, as far as it has to be understood.
struct Command {
  enum class Result { program, object, assembly, preprocessed, dependencies, nothing };

  struct Input {
    std::size_t index;    ///< In `words`.
    std::string language; ///< Of -x; empty where the name tells.
    bool is_source;       ///< Of C or C++, that is compiled; headers are not.
  };

  Words words; ///< Without the compiler; no response files.
  Result result = Result::program;
  std::vector<Input> inputs;
  std::optional<std::string> output;

  Words quoted;     ///< -iquote
  Words searched;   ///< -I, -isystem, in their order.
  Words afterwards; ///< -idirafter
  Words included;   ///< -include, -imacros
  std::string system_root;
  bool has_no_standard_places = false; ///< -nostdinc
  /// A file of dependencies is written beside the result, and nothing says how it is called.
  bool writes_dependencies = false;
  bool links_runtime = true;    ///< A dynamic program or library is made, with libraries.
  bool has_line_markers = true; ///< The preprocessed text.

  [[nodiscard]] const std::string &name(const Input &input) const { return words[input.index]; }
  [[nodiscard]] bool is_linked() const { return result == Result::program && !inputs.empty(); }
};

/// `words` have no response files any more.
Command read_command(Words words);

/// Whether an option's argument may be the next word. Of gcc's and clang's options.
bool takes_next_word(const std::string &option);

} // namespace sartor::cc

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_LOOK_H
#define SARTOR_TOOLS_CC_LOOK_H

#include <string>

#include "tools/cc/command.h"

namespace sartor::cc {

/// The use of Sartor in a source file and all files that it may include. It is found without a
/// preprocessor: a file under a false condition counts, so the result may include too much, but not
/// too little.
struct Seen {
  bool header = false;  ///< A header of Sartor is included.
  bool points = false;  ///< There may be a handler or a point.
  bool watched = false; ///< There may be a watched field.

  [[nodiscard]] bool needs_plugin() const { return points || watched; }
};

/// `headers` is the directory that has Sartor's headers, in `sartor`. `text` is the content of
/// standard input, for an input named "-".
Seen look_at(const Command &command, const std::string &headers, const Command::Input &input,
             const std::string &text);

} // namespace sartor::cc

#endif

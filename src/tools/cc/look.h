// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_LOOK_H
#define SARTOR_TOOLS_CC_LOOK_H

#include <string>

#include "tools/cc/command.h"

namespace sartor::cc {

/// What a source file and all that it may include say of Sartor. It is found without a
/// preprocessor: a file under a condition that does not hold counts, so it is rather too much than
/// too little.
struct Seen {
  bool header = false;  ///< A header of Sartor's is included.
  bool points = false;  ///< There may be a handler or a point.
  bool watched = false; ///< There may be a watched field.

  [[nodiscard]] bool needs_plugin() const { return points || watched; }
};

/// `text` is what standard input has, for an input that is called "-".
Seen look_at(const Command &command, const Command::Input &input, const std::string &text);

} // namespace sartor::cc

#endif

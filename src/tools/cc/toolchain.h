// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_TOOLCHAIN_H
#define SARTOR_TOOLS_CC_TOOLCHAIN_H

#include <string>

#include "base/result.h"
#include "tools/cc/response_file.h"

namespace sartor::cc {

/// Who compiles, and what Sartor's own options and the environment say of it.
struct Toolchain {
  bool is_cxx = false;
  Words compiler;           ///< The user's, with words before and after it, such as `ccache gcc`.
  bool watches_all = false; ///< --sartor-watch
  Words declarations;       ///< Files.

  // Beside the program that runs, so that what is installed can be moved.
  std::string plugin;
  std::string headers;
  std::string libraries;

  [[nodiscard]] std::string clang() const;
};

/// Takes Sartor's own options out of `words`, which are a command line without its first word,
/// `program`.
Result<Toolchain> toolchain(const std::string &program, Words &words);

/// What is wrong with clang or the plugin, which the command needs.
Result<void> check(const Toolchain &tools);

/// What is added where a program or library is linked. Nothing of it is in a program that does not
/// use the run time, but for where it would be looked for.
Words link_words(const Toolchain &tools);

} // namespace sartor::cc

#endif

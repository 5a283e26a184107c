// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_TOOLCHAIN_H
#define SARTOR_TOOLS_CC_TOOLCHAIN_H

#include <string>

#include "base/result.h"
#include "tools/cc/response_file.h"

namespace sartor::cc {

/// The compilers, and the settings by Sartor's own options and the environment.
struct Toolchain {
  bool is_cxx = false;
  Words compiler; ///< The user's compiler, which may have several words, such as `ccache gcc`.
  bool watches_all = false; ///< --sartor-watch
  Words declarations;       ///< Files of declarations.
  Words profiles;           ///< Files of -fsartor-auto: profiles or lists of hot functions.
  Words hot_functions;      ///< The functions in them, once read_profiles() has read them.

  // The paths are relative to the running program, so that an installation can be moved.
  std::string plugin;
  std::string headers;
  std::string libraries;

  /// True if all files are compiled with the plugin, whatever they contain.
  [[nodiscard]] bool takes_all() const {
    return watches_all || !declarations.empty() || !profiles.empty();
  }
  /// The files that the result of a compilation depends on, in addition to its source.
  [[nodiscard]] Words dependencies() const;

  /// True if the user's compiler is clang, which has options for its parts: -Xclang, -mllvm.
  [[nodiscard]] bool compiles_by_clang() const;
};

/// The name of clang that LLVM and all distributions install. They differ in the name of clang++.
const char *clang();

/// Removes Sartor's own options from `words`, a command line without its first word, `program`.
Result<Toolchain> toolchain(const std::string &program, Words &words);

/// Checks clang and the plugin, which the command needs.
Result<void> check(const Toolchain &tools);

/// Reads the hot functions of all profiles.
Result<void> read_profiles(Toolchain &tools);

/// Returns the words that are added to link a program or library. A program that does not use the
/// run time contains nothing of it, except the search path.
Words link_words(const Toolchain &tools);

} // namespace sartor::cc

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_DRIVER_H
#define SARTOR_TOOLS_CC_DRIVER_H

#include <vector>

#include "tools/cc/command.h"
#include "tools/cc/look.h"
#include "tools/cc/toolchain.h"

namespace sartor::cc {

/// Executes a command line with the user's compiler, with clang and the plugin, or with both.
class Driver {
public:
  /// `given` is the original command line, with response files.
  Driver(Toolchain tools, Words given);

  /// Returns the exit status; does not return if one compiler does everything.
  Result<int> compile();

private:
  /// An object that replaces a source that is compiled here.
  struct Made {
    std::size_t index;
    std::string object;
  };

  Result<void> take_standard_input();
  [[nodiscard]] Result<void> check_link() const;
  void look();
  /// True for an option that only clang knows, which a project may give for all of its files.
  [[nodiscard]] bool is_left_out(std::size_t word) const;
  [[nodiscard]] Failure hand_over(bool is_linked) const;
  Result<int> compile_apart();
  Result<int> preprocess(const Words &clang) const;
  Result<int> compile_and_link();
  /// Adds what the user's compiler needs to find Sartor's headers and, if it links, the run time.
  void add_own_words(Words &words, bool is_linked) const;
  [[nodiscard]] Words others_words(const std::vector<Made> &made) const;

  Toolchain tools_;
  Words given_;
  Command command_;
  std::string standard_input_;
  std::vector<Command::Input> ours_; ///< Sources for clang and the plugin.
  bool has_others_ = false;
  Seen seen_; ///< In any of the sources.
};

} // namespace sartor::cc

#endif

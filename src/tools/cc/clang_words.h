// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_CLANG_WORDS_H
#define SARTOR_TOOLS_CC_CLANG_WORDS_H

#include "tools/cc/command.h"
#include "tools/cc/look.h"
#include "tools/cc/toolchain.h"

namespace sartor::cc {

/// Returns the command line that compiles `sources`, a part of the command's, with clang and the
/// plugin, with the command's options and without its other inputs. Fails for an option that cannot
/// be kept.
Result<Words> clang_words(const Toolchain &tools, const Command &command,
                          const std::vector<Command::Input> &sources, const Seen &seen);

} // namespace sartor::cc

#endif

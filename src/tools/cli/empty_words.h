// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_EMPTY_WORDS_H
#define SARTOR_TOOLS_CLI_EMPTY_WORDS_H

#include <CLI/CLI.hpp>

namespace sartor::cli {

/// Lets every option and argument of the command and its subcommands refuse an empty word, which
/// is often an unset variable of the shell and would otherwise have the effect of the default.
/// Lists of passes may be empty, and so may words of lists, which may be those of another program.
void refuse_empty_words(CLI::App &command);

} // namespace sartor::cli

#endif

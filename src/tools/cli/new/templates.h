// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_NEW_TEMPLATES_H
#define SARTOR_TOOLS_CLI_NEW_TEMPLATES_H

#include <span>
#include <string_view>

namespace sartor::cli {

/// A file of a new project. `@NAME@` and `@CRATES@` in its text are replaced.
struct Template {
  std::string_view language; ///< `c`, `c++`, `rust` or `python`.
  std::string_view path;     ///< Relative to the project.
  std::string_view text;
};

/// Returns the files of all languages, by language and path. The build generates them from the
/// directory `templates`.
std::span<const Template> templates();

} // namespace sartor::cli

#endif

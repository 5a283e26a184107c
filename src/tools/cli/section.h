// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_SECTION_H
#define SARTOR_TOOLS_CLI_SECTION_H

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// A section that the compiler plugin writes and that is not loaded: pieces of text, one for each
/// compiled file (core/space/guard_section.h).
struct UnloadedSection {
  const char *name;
  std::string_view magic;
  const char *what; ///< For messages.
};

/// Returns the pieces in a program, library or object file; none if it has no such section. Fails
/// with file_error, bad_elf.
Result<std::vector<std::string>> pieces_of(const std::string &path, const UnloadedSection &section);

/// Creates the failure for a malformed piece.
Failure damaged(const std::string &path, const UnloadedSection &section);

} // namespace sartor::cli

#endif

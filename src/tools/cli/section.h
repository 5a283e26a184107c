// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_SECTION_H
#define SARTOR_TOOLS_CLI_SECTION_H

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// A section that the compiler plugin writes and nobody loads: pieces of text, one for each file
/// that was compiled (core/space/guard_section.h).
struct UnloadedSection {
  const char *name;
  std::string_view magic;
  const char *what; ///< For messages.
};

/// The pieces in a program, library or object file; none where it has no such section. Fails with
/// file_error, bad_elf.
Result<std::vector<std::string>> pieces_of(const std::string &path, const UnloadedSection &section);

/// What is wrong with a piece that cannot be understood.
Failure damaged(const std::string &path, const UnloadedSection &section);

} // namespace sartor::cli

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_SHOW_H
#define SARTOR_TOOLS_CLI_LD_SHOW_H

#include <string>

#include "base/result.h"

namespace sartor::cli {

/// Prints the loader's prelink image of a program and its libraries. Fails with file_error,
/// bad_elf.
Result<void> show_image(const std::string &program, bool json);

} // namespace sartor::cli

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_SPACE_H
#define SARTOR_TOOLS_CLI_SPACE_H

#include <string>

#include "core/space/module.h"

namespace sartor::cli {

/// Returns the possible settings of a point in words: `2, 4, 8`, `1 to 9`, `true`, `any value`.
std::string choices_text(const Point &point);

/// Returns a table of the points of a module.
std::string space_text(const core::HandlerModule &module);

} // namespace sartor::cli

#endif

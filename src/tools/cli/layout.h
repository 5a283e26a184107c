// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LAYOUT_H
#define SARTOR_TOOLS_CLI_LAYOUT_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sartor::cli {

/// Joins parts: `1, 2, 3`.
std::string joined(std::span<const std::string> parts, std::string_view separator = ", ");

/// Formats rows of cells in columns, each as wide as its widest cell, two spaces apart.
std::string table(std::span<const std::vector<std::string>> rows);

/// Formats two texts in two columns, `width` characters in all. Longer lines are wrapped.
std::string side_by_side(std::string_view left, std::string_view right, std::size_t width);

/// Returns the number of characters in a line of standard output: the terminal's, or 160.
std::size_t output_width();

} // namespace sartor::cli

#endif

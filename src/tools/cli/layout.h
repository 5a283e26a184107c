// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LAYOUT_H
#define SARTOR_TOOLS_CLI_LAYOUT_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sartor::cli {

/// `1, 2, 3`.
std::string joined(std::span<const std::string> parts, std::string_view separator = ", ");

/// Lines of cells in columns, each as wide as its widest cell, two spaces apart.
std::string table(std::span<const std::vector<std::string>> rows);

/// Two texts in two columns, `width` characters in all. Lines that are too long go on in the next.
std::string side_by_side(std::string_view left, std::string_view right, std::size_t width);

/// How many characters a line of standard output takes: the terminal's, or 160.
std::size_t output_width();

} // namespace sartor::cli

#endif

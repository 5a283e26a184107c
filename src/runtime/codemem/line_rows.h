// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_LINE_ROWS_H
#define SARTOR_RUNTIME_CODEMEM_LINE_ROWS_H

#include <cstdint>
#include <string>
#include <vector>

#include "core/image/code_image.h"

namespace sartor::runtime {

/// The source line of code from an offset on, up to the next row.
struct LineRow {
  std::uint64_t at; ///< Offset in the code.
  std::string file; ///< Its path.
  std::uint32_t line;

  bool operator==(const LineRow &) const = default;
};

/// Returns the rows of an image's line table (DWARF 5, 6.2), sorted by offset. Rows without a line
/// are left out. The sections may be damaged: the result is then incomplete, and offsets may lie
/// outside of the code.
std::vector<LineRow> line_rows(const std::vector<core::DebugSection> &debug);

} // namespace sartor::runtime

#endif

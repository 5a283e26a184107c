// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/unwind_info.h"

#include <algorithm>

#include "load/unwind_frames.h"

namespace sartor::load {

Result<std::vector<CodeRange>> function_bounds(const ElfFile &file) {
  std::vector<CodeRange> ranges;
  try {
    for (const unwind::Frame &frame : unwind::Frames(file).read_all())
      ranges.push_back(frame.code);
  } catch (const unwind::CutOff &) {
    return std::unexpected(Failure{ErrorCode::bad_elf, file.name(),
                                   "its unwind information is cut off, or of an unknown kind",
                                   "it is loaded as the stock loader would"});
  }
  // Linkers fold functions that are alike: then several entries describe the same code.
  std::ranges::sort(ranges);
  std::vector<CodeRange> in_order;
  for (const CodeRange &range : ranges)
    if (in_order.empty() || range.begin >= in_order.back().end)
      in_order.push_back(range);
    else
      in_order.back().end = std::max(in_order.back().end, range.end);
  return in_order;
}

} // namespace sartor::load

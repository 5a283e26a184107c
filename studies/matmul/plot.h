// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_PLOT_H
#define MATMUL_PLOT_H

#include <filesystem>

#include "story.h"
#include "summary.h"

namespace matmul {

/// Draws throughput over time with phases, explorations and decisions marked: throughput.png and
/// throughput.svg in `folder`, beside the data they are made from. False if gnuplot could not.
/// Throws std::system_error if it cannot be started, std::ios_base::failure if the data cannot be
/// written.
bool plot(const Story &story, const Summary &summary, const std::filesystem::path &folder);

} // namespace matmul

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_PLOT_H
#define MATMUL_PLOT_H

#include <filesystem>

#include "run_report.h"
#include "summary.h"

namespace matmul {

/// Draws throughput over time with phases, explorations and decisions marked: throughput.png and
/// throughput.svg in `folder`, next to their data. False if gnuplot fails. Throws std::system_error
/// if it cannot be started, std::ios_base::failure if the data cannot be written.
bool plot(const RunReport &run_report, const Summary &summary, const std::filesystem::path &folder);

} // namespace matmul

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_VIEW_H
#define MATMUL_VIEW_H

#include <string>

#include "run_report.h"

namespace matmul {

/// Displays a run report while it grows: a table that is redrawn on a terminal, one line a second
/// elsewhere.
class View {
public:
  /// `expected_seconds` is the estimated total duration, for display.
  explicit View(double expected_seconds);

  /// To be called about five times a second.
  void show(const RunReport &run_report);

private:
  void draw_table(const RunReport &run_report);
  void print_line(const RunReport &run_report);

  double expected_seconds_;
  bool terminal_;
  int lines_ = 0;      ///< Number of lines of the table on the terminal.
  double fastest_ = 1; ///< The bar's full length, in multiply-adds per second.
  double last_printed_ = 0;
};

} // namespace matmul

#endif

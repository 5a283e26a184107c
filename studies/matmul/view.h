// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_VIEW_H
#define MATMUL_VIEW_H

#include <string>

#include "story.h"

namespace matmul {

/// Shows a story while it happens: a table that is drawn anew on a terminal, a line a second
/// elsewhere.
class View {
public:
  /// `expected_seconds` is how long the whole will take, for the eye.
  explicit View(double expected_seconds);

  /// To be called about five times a second.
  void show(const Story &story);

private:
  void draw_table(const Story &story);
  void print_line(const Story &story);

  double expected_seconds_;
  bool terminal_;
  int lines_ = 0;      ///< Of the table that stands on the terminal.
  double fastest_ = 1; ///< The bar's full length, multiply-adds per second.
  double last_printed_ = 0;
};

} // namespace matmul

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures what it costs that variants can be observed.

#include <utility>

#include "control.h"
#include "harness.h"
#include "lines.h"

namespace sartor::bench {

const char *const bench_name = "observe";

// The processes of the second are forked while there is one thread.
std::vector<Figure> measure() {
  std::vector<Figure> figures = measure_control();
  for (Figure &figure : measure_lines())
    figures.push_back(std::move(figure));
  return figures;
}

} // namespace sartor::bench

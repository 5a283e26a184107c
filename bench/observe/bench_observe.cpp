// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures what it costs that variants can be observed.

#include "harness.h"
#include "lines.h"

namespace sartor::bench {

const char *const bench_name = "observe";

std::vector<Figure> measure() { return measure_lines(); }

} // namespace sartor::bench

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_OBSERVE_LINES_H
#define SARTOR_BENCH_OBSERVE_LINES_H

#include <vector>

#include "figures.h"

namespace sartor::bench {

/// The cost of source lines in bitcode, compile time and code images.
std::vector<Figure> measure_lines();

} // namespace sartor::bench

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_OBSERVE_CONTROL_H
#define SARTOR_BENCH_OBSERVE_CONTROL_H

#include <vector>

#include "figures.h"

namespace sartor::bench {

/// The cost of an open control socket and of `sartor top`, and the delay of `sartor off`.
std::vector<Figure> measure_control();

} // namespace sartor::bench

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_OBSERVE_CONTROL_HANDLER_H
#define SARTOR_BENCH_OBSERVE_CONTROL_HANDLER_H

#include <cstdint>

/// A hash of x, in `rounds` rounds. Point: "rounds".
std::uint64_t hashed(std::uint64_t x, unsigned rounds);

#endif

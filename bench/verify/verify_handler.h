// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_VERIFY_HANDLER_H
#define SARTOR_BENCH_VERIFY_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// Has no effect but its result.
std::uint64_t mixed(std::uint64_t x, unsigned rounds);

inline constexpr unsigned kValues = 1024; ///< 4 KiB of floats.

/// Writes a polynomial's values to memory behind its second parameter.
void evaluated(const float *xs, float *values, unsigned n, const float *coefficients,
               unsigned degree);

} // namespace sartor::bench

#endif

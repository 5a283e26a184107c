// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_DISPATCH_HANDLER_H
#define SARTOR_BENCH_DISPATCH_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// The called handler.
std::uint64_t touch(std::uint64_t state, std::uint64_t key);

} // namespace sartor::bench

#endif

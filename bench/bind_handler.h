// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_BIND_HANDLER_H
#define SARTOR_BENCH_BIND_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// Hashes a word with a key of the connection's.
std::uint64_t keyed_hash(std::uint64_t key, std::uint64_t word, unsigned rounds);

} // namespace sartor::bench

#endif

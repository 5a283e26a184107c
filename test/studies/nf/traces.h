// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_TRACES_H
#define SARTOR_TEST_STUDIES_NF_TRACES_H

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "memory_io.h"

namespace nf {

/// A frame, where it comes in, and when.
struct Arrival {
  NfSide side;
  std::uint64_t now; ///< ns
  Bytes bytes;
};

using Trace = std::vector<Arrival>;

/// One of `count` numbers.
inline std::uint32_t any(std::mt19937_64 &random, std::uint32_t from, unsigned count) {
  return from + static_cast<std::uint32_t>(random() % count);
}

/// Frames that `make` gives, of which one in eight is spoilt: cut short, with a wrong checksum, a
/// fragment, of another protocol, or with a byte that is not what it should be.
Trace random_trace(std::uint64_t seed, std::size_t count,
                   const std::function<Frame(std::mt19937_64 &, NfSide)> &make);

/// What comes of it. `poll` reads a batch of a side, and returns how many packets that were;
/// arrivals that came at the same time by the same side are read together.
std::vector<Sent> run(const Trace &trace, MemoryIo &io,
                      const std::function<std::uint32_t(NfIo *, NfSide)> &poll);

} // namespace nf

#endif

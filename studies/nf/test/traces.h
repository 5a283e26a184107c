// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_NF_TRACES_H
#define SARTOR_TEST_STUDIES_NF_TRACES_H

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "memory_io.h"

namespace nf {

/// A frame, the side at which it arrives, and the time.
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

/// Frames from `make`. One in eight is damaged: truncated, with a wrong checksum, a fragment, of
/// another protocol, or with a wrong byte.
Trace random_trace(std::uint64_t seed, std::size_t count,
                   const std::function<Frame(std::mt19937_64 &, NfSide)> &make);

/// Processes a trace. `poll` reads a batch of one side and returns its number of packets; frames
/// that arrived at the same time at the same side are read together.
std::vector<Sent> run(const Trace &trace, MemoryIo &io,
                      const std::function<std::uint32_t(NfIo *, NfSide)> &poll);

} // namespace nf

#endif

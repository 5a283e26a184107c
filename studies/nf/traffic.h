// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_TRAFFIC_H
#define SARTOR_STUDY_NF_TRAFFIC_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "functions.h"

namespace nf {

/// How often each flow comes.
enum class Popularity : std::uint8_t {
  uniform,
  zipf, ///< The n-th most popular one 1/n as often as the most popular.
};

/// Packets of flows, drawn at random.
class Traffic {
public:
  Traffic(const Function &function, std::uint32_t flows, Popularity popularity, std::uint64_t seed);

  /// Makes all frames of a side, as the function has them now: those from outside may answer what
  /// has come from inside.
  void make(NfSide side);
  /// The next `count` packets of a side. Valid until it is asked again.
  std::span<const Bytes *const> next(NfSide side, std::size_t count);
  /// One packet of each flow, in the order of their numbers.
  [[nodiscard]] std::span<const Bytes> each(NfSide side) const { return frames_[side]; }

private:
  const Function &function_;
  std::uint32_t flows_;
  std::array<std::vector<Bytes>, nf_sides> frames_; ///< By flow.
  std::vector<std::uint32_t> order_;                ///< Flows as they come, round and round.
  std::vector<const Bytes *> given_;
  std::size_t at_ = 0;
};

} // namespace nf

#endif

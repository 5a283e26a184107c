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

/// The distribution of packets over flows.
enum class Popularity : std::uint8_t {
  uniform,
  zipf, ///< The n-th most popular flow has 1/n of the packets of the most popular one.
};

/// Packets of flows, drawn at random.
class Traffic {
public:
  Traffic(const Function &function, std::uint32_t flows, Popularity popularity, std::uint64_t seed);

  /// Builds all frames of a side for the function's current state: those from outside may answer
  /// those from inside.
  void make(NfSide side);
  /// The next `count` packets of a side. Valid until the next call.
  std::span<const Bytes *const> next(NfSide side, std::size_t count);
  /// One packet of each flow, by number.
  [[nodiscard]] std::span<const Bytes> each(NfSide side) const { return frames_[side]; }

private:
  const Function &function_;
  std::uint32_t flows_;
  std::array<std::vector<Bytes>, nf_sides> frames_; ///< By flow.
  std::vector<std::uint32_t> order_;                ///< The flows' random order, used cyclically.
  std::vector<const Bytes *> given_;
  std::size_t at_ = 0;
};

} // namespace nf

#endif

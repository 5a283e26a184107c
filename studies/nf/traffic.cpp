// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traffic.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace nf {

namespace {

constexpr std::size_t kDrawn = std::size_t{1} << 18U;

std::vector<double> weights_of(std::uint32_t flows, Popularity popularity) {
  std::vector<double> weights(flows, 1);
  if (popularity == Popularity::zipf)
    for (std::uint32_t rank = 0; rank < flows; ++rank)
      weights[rank] = 1.0 / (rank + 1);
  return weights;
}

} // namespace

Traffic::Traffic(const Function &function, std::uint32_t flows, Popularity popularity,
                 std::uint64_t seed)
    : function_(function), flows_(flows), order_(kDrawn) {
  std::mt19937_64 random(seed);
  // Popularity is independent of the flows' numbers.
  std::vector<std::uint32_t> by_rank(flows);
  std::iota(by_rank.begin(), by_rank.end(), 0U);
  std::ranges::shuffle(by_rank, random);
  const std::vector<double> weights = weights_of(flows, popularity);
  std::discrete_distribution<std::uint32_t> rank(weights.begin(), weights.end());
  std::ranges::generate(order_, [&] { return by_rank[rank(random)]; });
}

void Traffic::make(NfSide side) {
  frames_[side].clear();
  for (std::uint32_t flow = 0; flow < flows_; ++flow)
    frames_[side].push_back(bytes_of(function_.frame(side, flow)));
}

std::span<const Bytes *const> Traffic::next(NfSide side, std::size_t count) {
  given_.clear();
  while (given_.size() < count) {
    given_.push_back(&frames_[side][order_[at_]]);
    at_ = (at_ + 1) % order_.size();
  }
  return given_;
}

} // namespace nf

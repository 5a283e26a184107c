// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include <sartor/strategy.hpp>

/// Climbs along one ordered list of candidates: measures where it stands and the neighbour on
/// either side, moves to the best of the three, and is sure when that is where it stands. Finds the
/// top of a single hill in a few trials, where a race would try every candidate.
class HillClimb : public sartor::Strategy {
public:
  /// `candidates` in the order of the value they set; not empty.
  explicit HillClimb(std::vector<sartor::Configuration> candidates);

  std::optional<sartor::Configuration> ask() override;
  void tell(const sartor::Trial &trial) override;
  [[nodiscard]] sartor::Decision best() const override;

private:
  static constexpr std::size_t kWindows = 5; // that each candidate gets

  /// The candidate between low() and high() that has had the fewest windows.
  [[nodiscard]] std::size_t least_measured() const;
  [[nodiscard]] std::size_t low() const { return here_ == 0 ? 0 : here_ - 1; }
  [[nodiscard]] std::size_t high() const;
  [[nodiscard]] double median(std::size_t candidate) const;

  std::vector<sartor::Configuration> candidates_;
  std::vector<std::vector<double>> scores_; // of each candidate
  std::size_t here_;
};

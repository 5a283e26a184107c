// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_VARIANTS_H
#define SARTOR_BENCH_NOISE_VARIANTS_H

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// Samples of several variants of one program, taken in turn, so that each has noise of its own.
/// record.h makes it, and README_variants.md describes it. A copyable value.
class RecordedVariants {
public:
  /// A sample of one variant; samples of all variants with the same index are of the same round.
  struct Slice {
    double rate; ///< Work per second, as a multiple of the first variant's mean.
    double seconds;
  };

  explicit RecordedVariants(std::vector<std::vector<Slice>> variants)
      : variants_(std::move(variants)) {}
  /// Throws std::runtime_error.
  static RecordedVariants read(const std::filesystem::path &path);
  /// Throws std::runtime_error.
  void write(const std::filesystem::path &path) const;

  [[nodiscard]] std::size_t variants() const { return variants_.size(); }
  [[nodiscard]] std::size_t rounds() const { return variants_.front().size(); }
  [[nodiscard]] const Slice &sample_time(std::size_t variant, std::size_t round) const {
    return variants_[variant][round];
  }
  /// Returns the mean rate including stalls, in the unit of Slice::rate.
  [[nodiscard]] double rate_of(std::size_t variant) const;

private:
  std::vector<std::vector<Slice>> variants_; ///< Indexed by variant and round.
};

} // namespace sartor::bench

#endif

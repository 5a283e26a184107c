// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_VARIANTS_H
#define SARTOR_BENCH_NOISE_VARIANTS_H

#include <cstddef>
#include <filesystem>
#include <vector>

namespace sartor::bench {

/// What several variants of one program did, slice by slice, in turns: each with noise of its own.
/// record.h makes it, and README_variants.md says how. A value.
class RecordedVariants {
public:
  /// A slice of one variant, of the round with the same index as all others' there.
  struct Slice {
    double rate; ///< By second, as a multiple of what the first variant does on average.
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
  [[nodiscard]] const Slice &slice(std::size_t variant, std::size_t round) const {
    return variants_[variant][round];
  }
  /// On the whole, stalls and all, in the unit of Slice::rate.
  [[nodiscard]] double rate_of(std::size_t variant) const;

private:
  std::vector<std::vector<Slice>> variants_; ///< By variant and round.
};

} // namespace sartor::bench

#endif

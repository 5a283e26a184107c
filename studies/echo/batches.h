// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_BATCHES_H
#define ECHO_BATCHES_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>

namespace sartor::echo {

/// A number for each of the three batches.
struct Batches {
  static constexpr std::uint32_t usual = 1; ///< What the generic code has: no batches.
  /// What is tried.
  static constexpr std::array<std::uint32_t, 4> tried{usual, 4, 16, 64};

  std::uint32_t rx = usual, queues = usual, qman = usual;

  bool operator==(const Batches &) const = default;
  /// The same number for all three.
  [[nodiscard]] bool is_single() const { return rx == queues && queues == qman; }
  /// Without guards, as any batch gives the same answers.
  [[nodiscard]] Configuration configuration() const;
  [[nodiscard]] std::string text() const;
};

/// All that are tried.
std::vector<Batches> all_batches();
/// What a configuration comes to.
Batches batches_of(const Configuration &configuration);

} // namespace sartor::echo

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_BATCHES_H
#define ECHO_BATCHES_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>

namespace sartor::echo {

/// The sizes of the three batches of a poll.
struct Batches {
  static constexpr std::uint32_t usual = 1; ///< The setting of the generic code: no batching.
  /// The sizes that the explorer tries.
  static constexpr std::array<std::uint32_t, 4> tried{usual, 4, 16, 64};

  std::uint32_t rx = usual, queues = usual, qman = usual;

  bool operator==(const Batches &) const = default;
  /// True if all three batches have the same size.
  [[nodiscard]] bool is_single() const { return rx == queues && queues == qman; }
  /// The configuration of these sizes. It has no guards, since any batch size gives the same
  /// answers.
  [[nodiscard]] Configuration configuration() const;
  [[nodiscard]] std::string text() const;
};

/// All combinations that are tried.
std::vector<Batches> all_batches();
/// The batch sizes that a configuration sets.
Batches batches_of(const Configuration &configuration);

} // namespace sartor::echo

#endif

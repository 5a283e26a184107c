// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_COMPILE_ORDER_H
#define SARTOR_TUNER_SEARCH_COMPILE_ORDER_H

#include <optional>
#include <utility>
#include <vector>

#include <sartor/configuration.hpp>

namespace sartor {

/// Order in which configurations are compiled: first those that are known to be good, then the
/// cheapest, as far as earlier compilations show. For use by one thread.
class CompileOrder {
public:
  CompileOrder(std::vector<Configuration> first, std::vector<Configuration> others)
      : first_(std::move(first)), left_(std::move(others)) {}

  /// The next configuration; nothing if there is none left. Equals keep their given order.
  std::optional<Configuration> next();
  /// Reports how long a compilation took.
  void took(const Configuration &configuration, double seconds) {
    known_.emplace_back(configuration, seconds);
  }

private:
  [[nodiscard]] double expected(const Configuration &configuration) const;

  std::vector<Configuration> first_, left_;
  std::vector<std::pair<Configuration, double>> known_;
};

} // namespace sartor

#endif

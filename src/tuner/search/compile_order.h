// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_COMPILE_ORDER_H
#define SARTOR_TUNER_SEARCH_COMPILE_ORDER_H

#include <optional>
#include <utility>
#include <vector>

#include <sartor/configuration.hpp>

namespace sartor {

/// In which order configurations are compiled: first those that somebody knows something good of,
/// then what costs least, as far as those that were compiled already tell. For use by one thread.
class CompileOrder {
public:
  CompileOrder(std::vector<Configuration> first, std::vector<Configuration> others)
      : first_(std::move(first)), left_(std::move(others)) {}

  /// The next one; nothing if that was all. Of equals in the order in which they were given.
  std::optional<Configuration> next();
  /// How long one took to be compiled.
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

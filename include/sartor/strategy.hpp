// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STRATEGY_HPP
#define SARTOR_STRATEGY_HPP

#include <cstddef>
#include <optional>

#include <sartor/configuration.hpp>

namespace sartor {

/// A mean and the interval it lies in with the strategy's confidence.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::size_t windows = 0; ///< How many windows it rests on.
};

/// One window's result.
struct Trial {
  Configuration configuration;
  /// The objective over the window; higher is always better here (the explorer gives 1/value of
  /// objectives that should be low).
  double score = 0;
  /// The configuration could not be compiled or run; score says nothing then.
  bool failed = false;
};

/// What a strategy settled on.
struct Decision {
  Configuration configuration;
  Estimate estimate;
};

/// Proposes configurations and is told their results. The explorer asks, runs one window under the
/// configuration it is given, tells, and asks again, until there is nothing to ask; a strategy
/// interleaves by asking for the same configurations again and again. Called from one thread.
class Strategy {
public:
  virtual ~Strategy() = default;
  /// What to try next, or nothing when the strategy is sure.
  virtual std::optional<Configuration> ask() = 0;
  virtual void tell(const Trial &trial) = 0;
  /// The best so far. Valid after the first successful trial; before that, the generic code.
  [[nodiscard]] virtual Decision best() const = 0;
};

} // namespace sartor

#endif

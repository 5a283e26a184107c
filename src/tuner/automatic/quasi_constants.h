// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_AUTOMATIC_QUASI_CONSTANTS_H
#define SARTOR_TUNER_AUTOMATIC_QUASI_CONSTANTS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/space.hpp>

namespace sartor {

/// The profile of an automatic handler's own points.
struct SampledHandler {
  std::string handler;     ///< Its symbol.
  std::uint64_t calls = 0; ///< Executions of its most frequent point.
  /// Quasi-constant points: the values that are frequent enough to be tried, the most frequent
  /// first.
  std::map<std::string, std::vector<Value>> values = {};
};

/// True for a point that the plugin has put into an automatic handler, and that can be set and
/// counted.
bool is_automatic(const Point &point);

/// Returns the labels of all automatic points, in groups of at most `handlers` handlers.
std::vector<std::vector<std::string>> automatic_labels(const Space &space, std::size_t handlers);

/// Returns the automatic handlers of a space and what was seen at their points, the most frequently
/// called first. A point in a function that several handlers reach belongs to that function's
/// handler.
std::vector<SampledHandler> sampled_handlers(const Space &space);

/// Returns the configurations of a handler that are worth a trial next to the generic code: all
/// quasi-constant points at their most frequent values, each alone, and each at a less frequent
/// value. Without `values` there are none. Each contains the settings of `base`, which belong to
/// other handlers.
std::vector<Configuration> candidates(const SampledHandler &sampled, const Configuration &base);

/// True if all settings are such as candidates() has for this handler: guarded values of its own
/// automatic points.
bool are_candidates_settings(const Configuration &configuration, const std::string &handler,
                             const Space &space);

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PARTS_COMPONENTS_H
#define SARTOR_TUNER_PARTS_COMPONENTS_H

#include <map>
#include <string>
#include <vector>

#include <sartor/search_space.hpp>

namespace sartor {

/// The handlers of each point, by label.
using HandlersOfPoints = std::map<std::string, std::vector<std::string>>;

/// Points that are connected by handlers or constraints, and no others: their settings affect only
/// the component's handlers.
struct Component {
  SearchSpace space;
  std::vector<std::string> handlers; ///< Sorted.
};

/// All points of the space, each in one component; in the order of their first labels. All points
/// without a handler are in one component.
std::vector<Component> components_of(const SearchSpace &space, const HandlersOfPoints &handlers);

/// One space of all the points of several.
SearchSpace joined(const std::vector<Component> &components);

/// The settings of a space's points, without validation.
Configuration restricted(const Configuration &configuration, const SearchSpace &to);
/// The settings of both.
Configuration merged(Configuration one, const Configuration &other);

} // namespace sartor

#endif

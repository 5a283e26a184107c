// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PARTS_COMPONENTS_H
#define SARTOR_TUNER_PARTS_COMPONENTS_H

#include <map>
#include <string>
#include <vector>

#include <sartor/search_space.hpp>

namespace sartor {

/// By label, the handlers that a point is in.
using HandlersOfPoints = std::map<std::string, std::vector<std::string>>;

/// Points that handlers or constraints hold together, and no others: what they are set to changes
/// nothing of the rest of the program but its handlers.
struct Component {
  SearchSpace space;
  std::vector<std::string> handlers; ///< Sorted.
};

/// All points of the space, each in one component; in the order of their first labels. Points that
/// are in no handler are each other's.
std::vector<Component> components_of(const SearchSpace &space, const HandlersOfPoints &handlers);

/// One space of all the points of several.
SearchSpace joined(const std::vector<Component> &components);

/// The settings of a space's points, whatever they are.
Configuration restricted(const Configuration &configuration, const SearchSpace &to);
/// What both set.
Configuration merged(Configuration one, const Configuration &other);

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_TREE_CODE_H
#define LPM_TREE_CODE_H

#include <memory>

#include <sartor/builder.hpp>

#include "routes.h"

namespace lpm {

/// The generator for custom points of kind "decision_tree4" or "decision_tree6": the Tree of these
/// routes, with the leaf size that the point is set to. The table that the point's function
/// searches must hold the same routes as long as variants made with it are active.
template <class Address>
sartor::Generator decision_tree(std::shared_ptr<const RouteSet<Address>> set);

} // namespace lpm

#endif

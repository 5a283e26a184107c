// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_ROUTE_SEARCH_H
#define SARTOR_STUDY_XDP_ROUTE_SEARCH_H

#include <vector>

#include <sartor/generator.hpp>

#include "forward.h"

namespace xdp {

/// Generates the code of the custom point `search` from a list of routes: all addresses in order
/// form intervals, each with one hop; an address's interval is found without branches, which the
/// verifier would have to follow both ways.
sartor::GeneratedCode route_search(const std::vector<Route> &routes);

} // namespace xdp

#endif

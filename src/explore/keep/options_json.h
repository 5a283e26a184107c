// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_KEEP_OPTIONS_JSON_H
#define SARTOR_EXPLORE_KEEP_OPTIONS_JSON_H

#include <string_view>

#include <sartor/explorer.hpp>
#include <sartor/strategies.hpp>

#include "observe/result.h"

namespace sartor {

/// ExplorerOptions by their names, durations in seconds (`{"slice":0.002}`), `choices` as an object
/// of lists, `unguarded` as a list, `change` as "normalised" or "threshold"; besides, `strategy` by
/// its name and its `seed`. What is left out is as by default. Fails with bad_json, which names the
/// option, and bad_objective for a strategy that there is not.
Result<ExplorerOptions> explorer_options_from_json(std::string_view text);

/// `{"most_trials":100,"seed":1}`. Fails with bad_json.
Result<SearchOptions> search_options_from_json(std::string_view text);

} // namespace sartor

#endif

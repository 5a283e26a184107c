// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/fleet/fleet_options.h"

#include <string>
#include <utility>

#include <sartor/strategies.hpp>

#include "tuner/read_options.h"

namespace sartor {

Result<FleetOptions> fleet_options_from_json(std::string_view text) {
  FleetOptions options;
  std::string alone;
  auto done = read_all(text, {{"socket", options.socket},
                              {"study", options.study},
                              {"replica", options.replica},
                              {"sampler", options.sampler},
                              {"most_trials", options.most_trials},
                              {"seed", options.seed},
                              {"patience", options.patience},
                              {"retry", options.retry},
                              {"alone", alone}});
  if (!done)
    return std::unexpected(std::move(done.error()));
  if (options.socket.empty() || options.study.empty())
    return std::unexpected(Failure{ErrorCode::bad_json, options.socket.empty() ? "socket" : "study",
                                   "is not given", "give both"});
  if (alone.empty())
    return options;
  const SearchOptions search{.most_trials = options.most_trials, .seed = options.seed};
  (void)make_strategy(alone, SearchSpace(), search); // reports an unknown name immediately
  options.alone = [alone, search](const SearchSpace &space) {
    return make_strategy(alone, space, search);
  };
  return options;
}

} // namespace sartor

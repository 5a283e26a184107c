// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"

#include <nanobind/stl/unique_ptr.h>

#include <sartor/race.hpp>

namespace sartor::python {

void bind_strategies(nb::module_ &module) {
  module.def(
      "race",
      [](std::vector<Configuration> candidates, double error_probability, double tolerance,
         std::size_t most_windows, std::uint64_t seed) {
        if (candidates.empty())
          throw nb::value_error("a race needs candidates");
        RaceOptions options;
        options.error_probability = error_probability;
        options.tolerance = tolerance;
        options.most_windows = most_windows;
        options.seed = seed;
        return race(std::move(candidates), options);
      },
      nb::arg("candidates"), nb::arg("error_probability") = RaceOptions().error_probability,
      nb::arg("tolerance") = RaceOptions().tolerance,
      nb::arg("most_windows") = RaceOptions().most_windows, nb::arg("seed") = RaceOptions().seed,
      "All candidates in interleaved rounds, compared pairwise within rounds; drops what is surely "
      "worse. The winner is worse than the best by more than `tolerance` (a share of its score) "
      "with at most `error_probability`.");
}

} // namespace sartor::python

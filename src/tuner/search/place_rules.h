// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_PLACE_RULES_H
#define SARTOR_TUNER_SEARCH_PLACE_RULES_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sartor/search_space.hpp>

#include "core/space/rules.h"

namespace sartor::detail {

/// Rules on the places of a search space. Immutable; any thread may ask.
class PlaceRules {
public:
  using Place = SearchSpace::Place;
  using Dimensions = std::span<const Dimension>;

  /// All labels of `rules` are among the dimensions'. All dimensions that are passed later equal
  /// these.
  PlaceRules(std::shared_ptr<const Rules> rules, Dimensions dimensions);

  [[nodiscard]] const Constraints &constraints() const noexcept { return rules_->constraints(); }
  [[nodiscard]] bool allow(const Place &place, Dimensions dimensions) const;
  /// Whether the rules hold that `dimension` settles: those that name it, and nothing after it.
  [[nodiscard]] bool allow(const Place &place, Dimensions dimensions, std::size_t dimension) const;

private:
  struct Placed {
    const Rule *rule;
    std::vector<std::size_t> dimensions; ///< Of the rule's labels.
  };

  std::shared_ptr<const Rules> rules_;
  std::vector<std::vector<Placed>> settled_by_; ///< By dimension.
};

/// Tries settings for one dimension after the other, and goes back where a rule is broken. Calls
/// `found` with each place that is allowed, until that returns false or `most_steps` settings were
/// tried, and returns whether that did not happen: all places were found. `order` gives the
/// settings (0 is generic) of a dimension in the order in which to try them.
bool walk(std::span<const Dimension> dimensions, const PlaceRules *rules, std::size_t most_steps,
          const std::function<std::vector<std::uint32_t>(std::size_t)> &order,
          const std::function<bool(const SearchSpace::Place &)> &found);

} // namespace sartor::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_SEARCH_COORDINATE_RULES_H
#define SARTOR_TUNER_SEARCH_COORDINATE_RULES_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <sartor/search_space.hpp>

#include "core/space/rules.h"

namespace sartor::detail {

/// Rules on the coordinates of a search space. Immutable and thread-safe.
class CoordinateRules {
public:
  using Coordinates = SearchSpace::Coordinates;
  using Dimensions = std::span<const Dimension>;

  /// All labels of `rules` must be labels of the dimensions. The dimensions that are passed to
  /// other members must equal these.
  CoordinateRules(std::shared_ptr<const Rules> rules, Dimensions dimensions);

  [[nodiscard]] const Constraints &constraints() const noexcept { return rules_->constraints(); }
  [[nodiscard]] bool allow(const Coordinates &coordinates, Dimensions dimensions) const;
  /// Checks the rules that `dimension` settles: those that name it, and no later dimension.
  [[nodiscard]] bool allow(const Coordinates &coordinates, Dimensions dimensions,
                           std::size_t dimension) const;

private:
  struct Placed {
    const Rule *rule;
    std::vector<std::size_t> dimensions; ///< Dimensions of the rule's labels.
  };

  std::shared_ptr<const Rules> rules_;
  std::vector<std::vector<Placed>> settled_by_; ///< By dimension.
};

/// Tries settings for one dimension after the other, and backtracks if a rule is broken. Calls
/// `found` with the allowed coordinates, until it returns false or `most_steps` settings were
/// tried. Returns true if neither happened: all coordinates were found. `order` returns the
/// settings (0 is generic) of a dimension in the order in which to try them.
bool walk(std::span<const Dimension> dimensions, const CoordinateRules *rules,
          std::size_t most_steps,
          const std::function<std::vector<std::uint32_t>(std::size_t)> &order,
          const std::function<bool(const SearchSpace::Coordinates &)> &found);

} // namespace sartor::detail

#endif

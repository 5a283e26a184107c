// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SEARCH_SPACE_HPP
#define SARTOR_SEARCH_SPACE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/constraints.hpp>
#include <sartor/space.hpp>

namespace sartor {

namespace detail {
class CoordinateRules;
}

/// The settings that an exploration may give to one point.
struct Dimension {
  std::string label;
  /// In ascending order; without the generic setting.
  std::vector<Setting> settings;
  /// True if neighbors in `settings` are similar: numbers are ordered, symbols are not.
  bool is_ordered = true;
  bool operator==(const Dimension &) const = default;
};

/// The configurations that an exploration chooses from: some points of a Space, each with the
/// settings that may be tried (or generic), and the constraints between them. A value type; never
/// enumerated unless requested.
///
/// Coordinates are another form of a configuration: for each dimension 0 for generic, or 1 + the
/// index of its setting.
class SearchSpace {
public:
  using Coordinates = std::vector<std::uint32_t>;

  SearchSpace() = default;
  /// Dimensions are in the order of their labels; the values that constraints name are compared
  /// with the settings' as they are. Throws bad_objective for a dimension without settings or two
  /// of one label, unknown_label for a constraint on a label that is no dimension, bad_constraint.
  explicit SearchSpace(std::vector<Dimension> dimensions, Constraints constraints = {});
  /// Takes all points of `space` that can be specialized, each with its own values or, if it is
  /// named in `choices`, with those instead (none: it is excluded). Labels in `without_guard` get
  /// unguarded settings. Takes over the constraints. Excluded points stay generic: constraints on
  /// them are satisfied, or exclude the points that depend on them. Throws the errors of
  /// Space::check() for `choices`.
  SearchSpace(const Space &space, const std::map<std::string, std::vector<Value>> &choices,
              const std::set<std::string> &without_guard = {});

  [[nodiscard]] const std::vector<Dimension> &dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] const Constraints &constraints() const noexcept;

  /// Number of combinations of all settings and generic, allowed or not; 2^64 - 1 stands for that
  /// or more.
  [[nodiscard]] std::uint64_t combinations() const noexcept;
  /// True if the configuration has settings of the dimensions and satisfies the constraints.
  [[nodiscard]] bool allows(const Configuration &configuration) const;
  [[nodiscard]] bool allows(const Coordinates &coordinates) const;

  [[nodiscard]] Configuration at(const Coordinates &coordinates) const;
  /// Nothing if a setting is not among the dimensions'.
  [[nodiscard]] std::optional<Coordinates> coordinates_of(const Configuration &configuration) const;

  /// All allowed configurations, the generic code first. Throws bad_objective if there are more
  /// than `most`, or if constraints make it hard to find them: settings are chosen one dimension
  /// after the other, and it gives up after trying twice as many as `most` configurations consist
  /// of.
  [[nodiscard]] std::vector<Configuration> all(std::size_t most = 4096) const;
  /// A random configuration that is allowed. Uniform, with the generic setting of a dimension as
  /// likely as each of the others, if constraints leave enough configurations to be found by
  /// trying; otherwise every allowed one is possible, but some are more likely than others.
  [[nodiscard]] Coordinates random(std::mt19937_64 &generator) const;

  /// Serializes for strategies in other processes: `{"dimensions":[{"label":"B","settings":[16,32],
  /// "ordered":true}],"constraints":{...}}`, settings as in Configuration::json() and constraints
  /// as in Constraints::json().
  [[nodiscard]] std::string json() const;
  /// Throws bad_json, and the errors of the first constructor.
  static SearchSpace from_json(std::string_view text);

  bool operator==(const SearchSpace &other) const {
    return dimensions_ == other.dimensions_ && constraints() == other.constraints();
  }

private:
  void set_constraints(Constraints constraints);

  std::vector<Dimension> dimensions_;
  std::shared_ptr<const detail::CoordinateRules> rules_; ///< Null if there are no constraints.
};

} // namespace sartor

#endif

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
class PlaceRules;
}

/// What an exploration may set one point to.
struct Dimension {
  std::string label;
  /// In ascending order; without the generic setting.
  std::vector<Setting> settings;
  /// Whether neighbours in `settings` are alike: numbers are ordered, symbols are not.
  bool is_ordered = true;
  bool operator==(const Dimension &) const = default;
};

/// What an exploration chooses from: some points of a Space, each with the settings that may be
/// tried (or left generic), and the constraints between them. A value; never enumerated unless it
/// is asked to.
///
/// A configuration of it is also a *place*: for each dimension 0 for generic, or 1 + the index of
/// its setting.
class SearchSpace {
public:
  using Place = std::vector<std::uint32_t>;

  SearchSpace() = default;
  /// Dimensions in the order of their labels; the values that constraints name are compared with
  /// the settings' as they are. Throws bad_objective for a dimension without settings or two of one
  /// label, unknown_label for a constraint on a label that is no dimension, bad_constraint.
  explicit SearchSpace(std::vector<Dimension> dimensions, Constraints constraints = {});
  /// All points of `space` that can be specialized, each with its own values or, if it is named in
  /// `choices`, those instead (none: it is left alone). Labels in `without_guard` get unguarded
  /// settings. Takes over the constraints: those on points that are left alone, which stay generic,
  /// hold or leave alone what depends on them. Throws what Space::check() finds in `choices`.
  SearchSpace(const Space &space, const std::map<std::string, std::vector<Value>> &choices,
              const std::set<std::string> &without_guard = {});

  [[nodiscard]] const std::vector<Dimension> &dimensions() const noexcept { return dimensions_; }
  [[nodiscard]] const Constraints &constraints() const noexcept;

  /// Combinations of all settings and generic, allowed or not; 2^64 - 1 stands for that or more.
  [[nodiscard]] std::uint64_t combinations() const noexcept;
  /// Whether it keeps to the dimensions' settings and to the constraints.
  [[nodiscard]] bool allows(const Configuration &configuration) const;
  [[nodiscard]] bool allows(const Place &place) const;

  [[nodiscard]] Configuration at(const Place &place) const;
  /// Nothing if a setting is not among the dimensions'.
  [[nodiscard]] std::optional<Place> place_of(const Configuration &configuration) const;

  /// All that is allowed, the generic code first. Throws bad_objective if there are more than
  /// `most`, or if constraints make it hard to find them: settings are chosen one dimension after
  /// the other, and it gives up after trying twice as many as `most` configurations consist of.
  [[nodiscard]] std::vector<Configuration> all(std::size_t most = 4096) const;
  /// One that is allowed. Uniform, the generic setting of a dimension as often as each of the
  /// others, if constraints leave enough to be found by trying; otherwise every one may come up,
  /// but some more often than others.
  [[nodiscard]] Place random(std::mt19937_64 &generator) const;

  /// For strategies in other processes: `{"dimensions":[{"label":"B","settings":[16,32],
  /// "ordered":true}],"constraints":{...}}`, settings as in Configuration::json() and constraints
  /// as in Constraints::json().
  [[nodiscard]] std::string json() const;
  /// Throws bad_json, and what the first constructor does.
  static SearchSpace from_json(std::string_view text);

  bool operator==(const SearchSpace &other) const {
    return dimensions_ == other.dimensions_ && constraints() == other.constraints();
  }

private:
  void set_constraints(Constraints constraints);

  std::vector<Dimension> dimensions_;
  std::shared_ptr<const detail::PlaceRules> rules_; ///< Null if there are no constraints.
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CONSTRAINTS_HPP
#define SARTOR_CONSTRAINTS_HPP

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/configuration.hpp>

namespace sartor {

/// Satisfied if `label` is set, and only to some of `values`.
struct Condition {
  std::string label;
  std::vector<Value> values;
  bool operator==(const Condition &) const = default;
};

/// Constraints that keep points from being set independently of each other. Part of a Space: a
/// configuration that violates any of them is refused with forbidden_configuration, which names the
/// constraint.
struct Constraints {
  /// Relations between numeric points, e.g. "Ti * Tj <= 4096": expressions that must not be zero.
  /// Operators are `+ - * / ^ %`, comparisons, `&& ||` and `c ? a : b`; functions are min, max,
  /// sum, avg, abs, sign, sqrt, exp, ln, log2, log10, rint and the trigonometric ones. Labels are
  /// the variables, between backquotes if they are not identifiers. Numbers are doubles. A relation
  /// that names a generic point is satisfied. If a point has several values, the relation must be
  /// satisfied for each of them.
  std::vector<std::string> relations = {};
  /// Conditional points: maps a label to the condition under which it may be set.
  std::map<std::string, Condition> conditions = {};
  /// Forbidden combinations: a configuration must not set all points of one of these to the values
  /// in it, guarded or not.
  std::vector<Configuration> forbidden = {};

  [[nodiscard]] bool empty() const noexcept {
    return relations.empty() && conditions.empty() && forbidden.empty();
  }
  /// `{"relations":["Ti * Tj <= 4096"],"conditions":{"depth":{"mode":[2,3]}},
  /// "forbidden":[{"B":64,"N":64}]}`: `depth` is set only where `mode` is 2 or 3.
  [[nodiscard]] std::string json() const;
  /// Reads the output of json(); missing parts are empty. Throws bad_json.
  static Constraints from_json(std::string_view text);

  bool operator==(const Constraints &) const = default;
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_RULES_H
#define SARTOR_CORE_SPACE_RULES_H

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sartor/constraints.hpp>

#include "base/result.h"

namespace sartor::detail {

/// One parsed constraint. Immutable; thread-safe.
class Rule {
public:
  /// One for each of labels(); null for a generic point.
  using Settings = std::span<const Setting *const>;

  explicit Rule(std::vector<std::string> labels) : labels_(std::move(labels)) {}
  virtual ~Rule() = default;
  Rule(const Rule &) = delete;
  Rule &operator=(const Rule &) = delete;

  /// The labels that it concerns, each once.
  [[nodiscard]] const std::vector<std::string> &labels() const noexcept { return labels_; }
  /// Nothing, or the reason why a configuration with these settings is impossible:
  /// forbidden_configuration, or too_many_bodies if several values have too many combinations to
  /// check.
  [[nodiscard]] virtual std::optional<Failure> broken(Settings settings) const = 0;
  /// The same as a truth value.
  [[nodiscard]] virtual bool holds(Settings settings) const { return !broken(settings); }

private:
  std::vector<std::string> labels_;
};

/// Parsed constraints. Immutable; thread-safe.
class Rules {
public:
  /// label → true if its settings are numbers.
  using Labels = std::map<std::string, bool, std::less<>>;

  /// `labels` are all that may be named; the values in `constraints` are used unchanged. Fails with
  /// unknown_label, which names the nearest ones, or bad_constraint.
  static Result<std::shared_ptr<const Rules>> read(Constraints constraints, const Labels &labels);

  [[nodiscard]] const Constraints &constraints() const noexcept { return constraints_; }
  [[nodiscard]] const std::vector<std::unique_ptr<const Rule>> &rules() const noexcept {
    return rules_;
  }
  /// Nothing, or the failure of the first violated rule.
  [[nodiscard]] std::optional<Failure> broken(const Configuration &configuration) const;

private:
  Constraints constraints_;
  std::vector<std::unique_ptr<const Rule>> rules_;
};

} // namespace sartor::detail

#endif

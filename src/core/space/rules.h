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

/// One constraint, ready to be asked. Immutable; any thread may ask.
class Rule {
public:
  /// One for each of labels(); null for what is left generic.
  using Settings = std::span<const Setting *const>;

  explicit Rule(std::vector<std::string> labels) : labels_(std::move(labels)) {}
  virtual ~Rule() = default;
  Rule(const Rule &) = delete;
  Rule &operator=(const Rule &) = delete;

  /// What it concerns, each once.
  [[nodiscard]] const std::vector<std::string> &labels() const noexcept { return labels_; }
  /// Nothing, or why a configuration with these settings cannot be: forbidden_configuration, or
  /// too_many_bodies where several values combine in too many ways to be looked at.
  [[nodiscard]] virtual std::optional<Failure> broken(Settings settings) const = 0;
  /// The same in short.
  [[nodiscard]] virtual bool holds(Settings settings) const { return !broken(settings); }

private:
  std::vector<std::string> labels_;
};

/// Constraints that were read once. Immutable; any thread may ask.
class Rules {
public:
  /// label → whether what it is set to are numbers.
  using Labels = std::map<std::string, bool, std::less<>>;

  /// `labels` are all that may be named; the values in `constraints` are taken as they are. Fails
  /// with unknown_label, which names the nearest ones, or bad_constraint.
  static Result<std::shared_ptr<const Rules>> read(Constraints constraints, const Labels &labels);

  [[nodiscard]] const Constraints &constraints() const noexcept { return constraints_; }
  [[nodiscard]] const std::vector<std::unique_ptr<const Rule>> &rules() const noexcept {
    return rules_;
  }
  /// Nothing, or what the first rule that is broken says.
  [[nodiscard]] std::optional<Failure> broken(const Configuration &configuration) const;

private:
  Constraints constraints_;
  std::vector<std::unique_ptr<const Rule>> rules_;
};

} // namespace sartor::detail

#endif

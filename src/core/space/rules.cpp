// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/rules.h"

#include <algorithm>
#include <cmath>

#include "core/space/expression.h"
#include "core/space/nearest.h"

namespace sartor::detail {

namespace {

/// A relation over points that are set to several values is evaluated for at most this many
/// combinations.
constexpr std::size_t kMostCombinations = 65'536;
constexpr const char *kExample = "write e.g. \"Ti * Tj <= 4096\"";

std::unexpected<Failure> bad(const std::string &subject, std::string message, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_constraint, subject, std::move(message), std::move(remedy)});
}

std::string at(std::size_t offset) { return "at position " + std::to_string(offset + 1) + ": "; }

std::optional<double> number_of(const Value &value) {
  if (value.is_symbol())
    return std::nullopt;
  if (value.is_floating())
    return value.floating();
  return value.is_large() ? static_cast<double>(value.bits())
                          : static_cast<double>(value.integer());
}

class Relation final : public Rule {
public:
  Relation(std::string text, std::vector<std::string> labels, Expression expression)
      : Rule(std::move(labels)), text_(std::move(text)), expression_(std::move(expression)) {}

  [[nodiscard]] std::optional<Failure> broken(Settings settings) const override {
    std::size_t combinations = 1;
    for (const Setting *setting : settings) {
      if (!setting)
        return std::nullopt;
      combinations *= setting->values.size();
      if (combinations > kMostCombinations)
        return Failure{ErrorCode::too_many_bodies, text_,
                       "settings with several values combine in more than " +
                           std::to_string(kMostCombinations) + " ways",
                       "set fewer values"};
    }
    std::vector<std::size_t> chosen(settings.size());
    for (std::size_t i = 0; i < combinations; ++i) {
      std::size_t rest = i;
      for (std::size_t j = 0; j < settings.size(); ++j) {
        chosen[j] = rest % settings[j]->values.size();
        rest /= settings[j]->values.size();
      }
      if (!holds_for(settings, chosen))
        return failure(settings, chosen);
    }
    return std::nullopt;
  }

private:
  [[nodiscard]] bool holds_for(Settings settings, const std::vector<std::size_t> &chosen) const {
    std::vector<double> values;
    values.reserve(settings.size());
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const auto number = number_of(settings[i]->values[chosen[i]]);
      if (!number)
        return false;
      values.push_back(*number);
    }
    const double result = expression_.evaluate(values);
    return result != 0 && !std::isnan(result);
  }

  [[nodiscard]] Failure failure(Settings settings, const std::vector<std::size_t> &chosen) const {
    Configuration broken;
    std::string names;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      broken.set(labels()[i], settings[i]->values[chosen[i]]);
      names += (names.empty() ? "" : " or ") + labels()[i];
    }
    return {ErrorCode::forbidden_configuration, text_,
            "this relation does not hold for " + broken.text(),
            "set other values, or leave " + names + " generic"};
  }

  const std::string text_;
  const Expression expression_;
};

/// Parses a relation in the syntax of Expression, whose variables are labels. Fails with
/// bad_constraint, which names the relation and the position in it, counted from 1.
Result<std::unique_ptr<const Rule>> read_relation(const std::string &text,
                                                  const Rules::Labels &labels) {
  auto expression = Expression::read(text);
  if (!expression)
    return bad(text, at(expression.error().position) + expression.error().message,
               expression.error().remedy.empty() ? kExample : expression.error().remedy);
  std::vector<std::string> used;
  for (const auto &[label, position] : expression->variables()) {
    const auto known = labels.find(label);
    if (known == labels.end()) {
      std::vector<std::string> all;
      for (const auto &[one, is_numeric] : labels)
        all.push_back(one);
      return bad(text, at(position) + "no point has the label \"" + label + '"',
                 nearest_names(label, all));
    }
    if (!known->second)
      return bad(text, at(position) + '"' + label + "\" is not set to numbers",
                 "forbid combinations of it instead");
    used.push_back(label);
  }
  if (used.empty())
    return bad(text, "names no point", kExample);
  return std::make_unique<Relation>(text, std::move(used), std::move(*expression));
}

bool contains(const std::vector<Value> &values, const Value &value) {
  return std::ranges::find(values, value) != values.end();
}

/// `2`, `2 or 3`.
std::string alternatives(const std::vector<Value> &values) {
  std::string text;
  for (const Value &value : values)
    text += (text.empty() ? "" : " or ") + value.text();
  return text;
}

/// The first of its labels is set only if the second is, and to one of the given values.
class ConditionalPoint final : public Rule {
public:
  ConditionalPoint(std::string label, const Condition &condition)
      : Rule({std::move(label), condition.label}), values_(condition.values) {}

  [[nodiscard]] bool holds(Settings settings) const override {
    return !settings[0] ||
           (settings[1] && std::ranges::all_of(settings[1]->values, [&](const Value &value) {
              return contains(values_, value);
            }));
  }

  [[nodiscard]] std::optional<Failure> broken(Settings settings) const override {
    if (holds(settings))
      return std::nullopt;
    const std::string &label = labels()[0];
    const std::string &on = labels()[1];
    return Failure{ErrorCode::forbidden_configuration, label,
                   "may be set only where \"" + on + "\" is set to " + alternatives(values_) +
                       (settings[1] ? ", which is set to " + alternatives(settings[1]->values)
                                    : ", which is left generic"),
                   "set \"" + on + "\" to " + alternatives(values_) + ", or leave \"" + label +
                       "\" generic"};
  }

private:
  const std::vector<Value> values_;
};

std::vector<std::string> labels_of(const Configuration &configuration) {
  std::vector<std::string> labels;
  for (const auto &[label, setting] : configuration)
    labels.push_back(label);
  return labels;
}

class Forbidden final : public Rule {
public:
  explicit Forbidden(const Configuration &combination)
      : Rule(labels_of(combination)), combination_(combination) {}

  [[nodiscard]] bool holds(Settings settings) const override {
    auto setting = settings.begin();
    return std::ranges::any_of(combination_, [&](const auto &forbidden) {
      const Setting *one = *setting++;
      return !one || std::ranges::none_of(one->values, [&](const Value &value) {
        return contains(forbidden.second.values, value);
      });
    });
  }

  [[nodiscard]] std::optional<Failure> broken(Settings settings) const override {
    if (holds(settings))
      return std::nullopt;
    return Failure{ErrorCode::forbidden_configuration, combination_.text(),
                   "this combination is forbidden",
                   "set one of these points otherwise, or leave it generic"};
  }

private:
  const Configuration combination_;
};

/// Fails if one of the labels is unknown.
Result<void> check_labels(const std::vector<std::string> &labels, const Rules::Labels &known) {
  for (const std::string &label : labels) {
    if (known.contains(label))
      continue;
    std::vector<std::string> all;
    for (const auto &[one, is_numeric] : known)
      all.push_back(one);
    return std::unexpected(Failure{ErrorCode::unknown_label, label,
                                   "is named by a constraint, but no point has this label",
                                   nearest_names(label, all)});
  }
  return {};
}

Result<std::unique_ptr<const Rule>> read_condition(const std::string &label,
                                                   const Condition &condition) {
  if (condition.values.empty())
    return bad(label, "depends on \"" + condition.label + "\" being set to no value at all",
               "list the values at which it may be set");
  return std::make_unique<ConditionalPoint>(label, condition);
}

Result<std::unique_ptr<const Rule>> read_forbidden(const Configuration &combination) {
  if (combination.empty())
    return bad("{}", "the generic code cannot be forbidden", "name settings, or leave it out");
  return std::make_unique<Forbidden>(combination);
}

} // namespace

Result<std::shared_ptr<const Rules>> Rules::read(Constraints constraints, const Labels &labels) {
  auto read = std::make_shared<Rules>();
  const auto add = [&](Result<std::unique_ptr<const Rule>> rule) -> Result<void> {
    if (!rule)
      return std::unexpected(std::move(rule.error()));
    if (auto known = check_labels((*rule)->labels(), labels); !known)
      return known;
    read->rules_.push_back(std::move(*rule));
    return {};
  };
  for (const std::string &relation : constraints.relations)
    if (auto added = add(read_relation(relation, labels)); !added)
      return std::unexpected(std::move(added.error()));
  for (const auto &[label, condition] : constraints.conditions)
    if (auto added = add(read_condition(label, condition)); !added)
      return std::unexpected(std::move(added.error()));
  for (const Configuration &combination : constraints.forbidden)
    if (auto added = add(read_forbidden(combination)); !added)
      return std::unexpected(std::move(added.error()));
  read->constraints_ = std::move(constraints);
  return read;
}

std::optional<Failure> Rules::broken(const Configuration &configuration) const {
  std::vector<const Setting *> settings;
  for (const auto &rule : rules_) {
    settings.clear();
    for (const std::string &label : rule->labels())
      settings.push_back(configuration.find(label));
    if (auto failure = rule->broken(settings))
      return failure;
  }
  return std::nullopt;
}

} // namespace sartor::detail

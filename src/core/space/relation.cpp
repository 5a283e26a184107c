// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/relation.h"

#include <cmath>

#include "core/space/expression.h"
#include "core/space/nearest.h"

namespace sartor::detail {

namespace {

/// A relation over points that are set to several values is evaluated for at most this many
/// combinations.
constexpr std::size_t kMostCombinations = 65'536;
constexpr const char *kExample = "write e.g. \"Ti * Tj <= 4096\"";

std::unexpected<Failure> bad(const std::string &relation, std::string message, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_constraint, relation, std::move(message), std::move(remedy)});
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

} // namespace

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

} // namespace sartor::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "space/relation.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <mutex>

#include <muParser.h>

#include "space/nearest.h"

namespace sartor::detail {

namespace {

/// Where points are set to several values: so many combinations are looked at, no more.
constexpr std::size_t kMostCombinations = 65'536;

std::unexpected<Failure> bad(const std::string &relation, std::string message, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_constraint, relation, std::move(message), std::move(remedy)});
}

std::string at(std::size_t offset) { return "at position " + std::to_string(offset + 1) + ": "; }

/// A relation with identifiers for the labels between backquotes, of the same length wherever that
/// can be, so that positions stay what they are.
struct Plain {
  std::string text;
  std::map<std::string, std::string> quoted = {}; ///< Identifier → label.

  /// The identifier of a label between backquotes.
  std::string name_of(const std::string &label, const Rules::Labels &labels) {
    for (const auto &[name, known] : quoted)
      if (known == label)
        return name;
    std::string name;
    for (std::size_t number = quoted.size();
         name.empty() || labels.contains(name) || text.contains(name); ++number)
      name = "_" + std::to_string(number);
    quoted.emplace(name, label);
    return name;
  }
};

Result<Plain> without_quotes(const std::string &relation, const Rules::Labels &labels) {
  Plain plain{.text = relation};
  for (std::size_t begin = 0; (begin = plain.text.find('`', begin)) != std::string::npos;) {
    const std::size_t end = plain.text.find('`', begin + 1);
    if (end == std::string::npos)
      return bad(relation, at(begin) + "a label has no end", "close it with `");
    std::string name = plain.name_of(plain.text.substr(begin + 1, end - begin - 1), labels);
    name.resize(std::max(name.size(), end + 1 - begin), ' ');
    plain.text.replace(begin, end + 1 - begin, name);
    begin += name.size();
  }
  return plain;
}

/// Where a whole word begins.
std::size_t find_word(const std::string &text, const std::string &word) {
  const auto is_part = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  std::size_t found = text.find(word);
  while (found != std::string::npos &&
         ((found > 0 && is_part(found - 1)) || is_part(found + word.size())))
    found = text.find(word, found + 1);
  return found;
}

bool assigns(const mu::Parser &parser) {
  for (const mu::SToken *token = parser.GetByteCode().GetBase(); token->Cmd != mu::cmEND; ++token)
    if (token->Cmd == mu::cmASSIGN)
      return true;
  return false;
}

double remainder(double a, double b) { return std::fmod(a, b); }

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
  /// `names` are the identifiers of `labels` in `text`.
  Relation(std::string relation, const std::string &text, std::vector<std::string> labels,
           const std::vector<std::string> &names)
      : Rule(std::move(labels)), relation_(std::move(relation)), values_(names.size(), 1.0) {
    set_up(parser_);
    for (std::size_t i = 0; i < names.size(); ++i)
      parser_.DefineVar(names[i], &values_[i]);
    parser_.SetExpr(text);
  }

  static void set_up(mu::Parser &parser) {
    parser.ClearConst(); // A label is what is meant.
    parser.DefineOprt("%", remainder, mu::prMUL_DIV, mu::oaLEFT, true);
  }

  /// Before anybody asks: evaluates it for the first time, which compiles it.
  Result<void> compile() {
    parser_.Eval();
    if (parser_.GetNumResults() != 1)
      return bad(relation_, "is a list", "write several relations");
    if (assigns(parser_))
      return bad(relation_, "assigns a value", "compare with ==");
    return {};
  }

  [[nodiscard]] std::optional<Failure> broken(Settings settings) const override {
    std::size_t combinations = 1;
    for (const Setting *setting : settings) {
      if (!setting)
        return std::nullopt;
      combinations *= setting->values.size();
      if (combinations > kMostCombinations)
        return Failure{ErrorCode::too_many_bodies, relation_,
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
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const auto number = number_of(settings[i]->values[chosen[i]]);
      if (!number)
        return false;
      values_[i] = *number;
    }
    try {
      const double result = parser_.Eval();
      return result != 0 && !std::isnan(result);
    } catch (const mu::ParserError &) {
      return false;
    }
  }

  [[nodiscard]] Failure failure(Settings settings, const std::vector<std::size_t> &chosen) const {
    Configuration broken;
    std::string names;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      broken.set(labels()[i], settings[i]->values[chosen[i]]);
      names += (names.empty() ? "" : " or ") + labels()[i];
    }
    return {ErrorCode::forbidden_configuration, relation_,
            "this relation does not hold for " + broken.text(),
            "set other values, or leave " + names + " generic"};
  }

  const std::string relation_;
  mutable std::mutex mutex_; ///< muParser evaluates on a stack of the parser's own.
  mutable std::vector<double> values_;
  mu::Parser parser_;
};

Result<std::unique_ptr<const Rule>> compile(const std::string &relation, const Plain &plain,
                                            const Rules::Labels &labels) {
  mu::Parser parser;
  Relation::set_up(parser);
  parser.SetExpr(plain.text);
  std::vector<std::string> used;
  std::vector<std::string> names;
  for (const auto &[name, variable] : parser.GetUsedVar()) {
    const auto quoted = plain.quoted.find(name);
    const std::string &label = quoted == plain.quoted.end() ? name : quoted->second;
    const std::string position = at(find_word(plain.text, name));
    const auto known = labels.find(label);
    if (known == labels.end()) {
      std::vector<std::string> all;
      for (const auto &[one, is_numeric] : labels)
        all.push_back(one);
      return bad(relation,
                 std::string(position).append("no point has the label \"").append(label) + '"',
                 nearest_names(label, all));
    }
    if (!known->second)
      return bad(relation,
                 std::string(position).append("\"").append(label) + "\" is not set to numbers",
                 "forbid combinations of it instead");
    // A label may stand there with and without backquotes.
    if (std::ranges::find(used, label) != used.end())
      return bad(relation,
                 std::string(position).append("\"").append(label) + "\" has two spellings",
                 "write it the same way everywhere");
    used.push_back(label);
    names.push_back(name);
  }
  if (used.empty())
    return bad(relation, "names no point", "write e.g. \"Ti * Tj <= 4096\"");
  auto made = std::make_unique<Relation>(relation, plain.text, std::move(used), names);
  if (auto compiled = made->compile(); !compiled)
    return std::unexpected(std::move(compiled.error()));
  return made;
}

} // namespace

Result<std::unique_ptr<const Rule>> read_relation(const std::string &text,
                                                  const Rules::Labels &labels) {
  const auto plain = without_quotes(text, labels);
  if (!plain)
    return std::unexpected(plain.error());
  try {
    return compile(text, *plain, labels);
  } catch (const mu::ParserError &error) {
    const auto offset = static_cast<std::size_t>(std::max(error.GetPos(), 0));
    return bad(text, at(std::min(offset, text.size())) + error.GetMsg(),
               "write e.g. \"Ti * Tj <= 4096\"");
  }
}

} // namespace sartor::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_VARIANT_CODE_H
#define SARTOR_TOOLS_VIEW_VARIANT_CODE_H

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "tools/cli/handlers_in.h"

namespace sartor::view {

/// The code of the variants of a program's events, next to the generic code, with the source lines
/// that both come from. It is made again from the program's file, which does not run.
class VariantCode {
public:
  /// json() leaves out more variants; those that an exploration has decided for come first.
  static constexpr std::size_t limit = 32;
  /// More variants are not noted.
  static constexpr std::size_t most_noted = 20'000;

  /// Fails as handlers_in() does.
  static Result<VariantCode> of(const std::string &program);

  /// Notes the variant of an event.
  void note(const nlohmann::ordered_json &event);

  /// Makes the code of all variants. One that cannot be made has `error` instead.
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// Makes the code of the noted variants with this text, one for each handler.
  [[nodiscard]] nlohmann::ordered_json json(std::string_view text) const;

private:
  struct Variant {
    std::string handler;
    std::string text;
    std::string configuration; ///< JSON.
  };

  VariantCode(std::string program, std::vector<cli::Handlers> all)
      : program_(std::move(program)), all_(std::move(all)) {}

  [[nodiscard]] std::vector<Variant> ordered() const;
  [[nodiscard]] nlohmann::ordered_json json_of(const std::vector<Variant> &variants) const;

  std::string program_;
  std::vector<cli::Handlers> all_;
  std::vector<Variant> variants_;
  std::set<std::pair<std::string, std::string>> known_; ///< Handler and text.
  std::set<std::string> chosen_;                        ///< Texts.
};

} // namespace sartor::view

#endif

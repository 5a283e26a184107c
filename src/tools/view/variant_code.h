// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_VARIANT_CODE_H
#define SARTOR_TOOLS_VIEW_VARIANT_CODE_H

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "tools/cli/handlers_in.h"

namespace sartor::view {

/// The code of the variants of an event log, next to the generic code, with the source around the
/// handlers' points. It is made again from the program, which does not run.
class VariantCode {
public:
  /// More variants are left out; those that an exploration has decided for come first.
  static constexpr std::size_t limit = 32;

  /// Fails as handlers_in() does.
  static Result<VariantCode> of(const std::string &program);

  /// Notes the variant of an event.
  void note(const nlohmann::ordered_json &event);

  /// Makes the code. A variant that cannot be made has `error` instead.
  [[nodiscard]] nlohmann::ordered_json json() const;

private:
  struct Variant {
    std::string handler;
    std::string text;
    std::string configuration; ///< JSON.
  };

  explicit VariantCode(std::vector<cli::Handlers> all) : all_(std::move(all)) {}

  [[nodiscard]] std::vector<Variant> ordered() const;

  std::vector<cli::Handlers> all_;
  std::vector<Variant> variants_;
  std::set<std::pair<std::string, std::string>> known_; ///< Handler and text.
  std::set<std::string> chosen_;                        ///< Texts.
};

} // namespace sartor::view

#endif

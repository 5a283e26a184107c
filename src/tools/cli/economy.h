// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_ECONOMY_H
#define SARTOR_TOOLS_CLI_ECONOMY_H

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace sartor::cli {

/// The events of quasi-invariants in an event log: the estimated benefit of each, and its history.
class EconomyReport {
public:
  /// Fails with file_error. Unreadable lines, such as the last of a truncated log, are counted and
  /// ignored.
  static Result<EconomyReport> read(const std::string &log);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] nlohmann::ordered_json json() const;

private:
  struct History {
    std::optional<nlohmann::ordered_json> weighed; ///< The last estimate.
    nlohmann::ordered_json figures;                ///< The last figures; null if there were none.
    bool is_over = false;
  };

  void add(const nlohmann::ordered_json &event);

  std::map<std::string, History> quasi_invariants_;
  std::size_t unreadable_ = 0;
};

} // namespace sartor::cli

#endif

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

/// What an event log knows of facts: what each was found to be worth, and what has become of it.
class EconomyReport {
public:
  /// Fails with file_error. Lines that cannot be read, as the last of a log that was cut short, are
  /// counted and left out.
  static Result<EconomyReport> read(const std::string &log);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] nlohmann::ordered_json json() const;

private:
  struct Story {
    std::optional<nlohmann::ordered_json> weighed; ///< The last time.
    nlohmann::ordered_json figures;                ///< The last; null if there were none.
    bool is_over = false;
  };

  void add(const nlohmann::ordered_json &event);

  std::map<std::string, Story> facts_;
  std::size_t unreadable_ = 0;
};

} // namespace sartor::cli

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_OPEN_METRICS_H
#define SARTOR_RUNTIME_CONTROL_OPEN_METRICS_H

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace sartor {

/// Writes metrics as OpenMetrics text, version 1.0.0.
class OpenMetrics {
public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  /// Begins a family of samples. `type` is counter, gauge or info; `name` has no suffix.
  void family(const std::string &name, const std::string &type, const std::string &help);
  /// Adds a sample of the last family. Left out if `value` is no number. Of samples with the same
  /// labels, which there must not be, one is written: the sum for a counter, else the greatest.
  void sample(const Labels &labels, const nlohmann::ordered_json &value);
  /// Ends the text.
  [[nodiscard]] std::string text() &&;

private:
  void end_family();

  std::string text_;
  std::string name_; ///< Of the samples of the last family, with its suffix.
  bool is_counter_ = false;
  /// The samples of the last family, by the text of their labels.
  std::vector<std::pair<std::string, nlohmann::ordered_json>> samples_;
  std::map<std::string, std::size_t> places_; ///< Their indices.
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/open_metrics.h"

#include <nlohmann/json.hpp>

#include "base/text/json.h"

namespace sartor {

namespace {

std::string escaped(const std::string &text) {
  std::string result;
  for (const char each : text)
    if (each == '\n')
      result += "\\n";
    else if (each == '"' || each == '\\')
      result += {'\\', each};
    else
      result += each;
  return result;
}

} // namespace

void OpenMetrics::family(const std::string &name, const std::string &type,
                         const std::string &help) {
  text_ += "# TYPE " + name + ' ' + type + '\n';
  if (name.ends_with("_bytes") || name.ends_with("_seconds") || name.ends_with("_ratio"))
    text_ += "# UNIT " + name + ' ' + name.substr(name.rfind('_') + 1) + '\n';
  text_ += "# HELP " + name + ' ' + escaped(help) + '\n';
  name_ = name + (type == "counter" ? "_total" : type == "info" ? "_info" : "");
}

void OpenMetrics::sample(const Labels &labels, const nlohmann::ordered_json &value) {
  if (!value.is_number()) // infinite: nothing is known
    return;
  text_ += name_;
  char before = '{';
  for (const auto &[label, of] : labels) {
    text_ += before + label + "=\"" + escaped(of) + '"';
    before = ',';
  }
  text_ += (labels.empty() ? "" : "}");
  text_ += ' ' + dump(value) + '\n';
}

std::string OpenMetrics::text() && { return std::move(text_) + "# EOF\n"; }

} // namespace sartor

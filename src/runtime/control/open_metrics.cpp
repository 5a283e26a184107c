// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/open_metrics.h"

#include <cstdint>
#include <utility>

#include "base/text/json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

Json sum_of(const Json &one, const Json &other) {
  if (one.is_number_integer() && other.is_number_integer())
    return one.get<std::uint64_t>() + other.get<std::uint64_t>();
  return one.get<double>() + other.get<double>();
}

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

void OpenMetrics::end_family() {
  for (const auto &[labels, value] : samples_)
    text_ += name_ + labels + ' ' + dump(value) + '\n';
  samples_.clear();
  places_.clear();
}

void OpenMetrics::family(const std::string &name, const std::string &type,
                         const std::string &help) {
  end_family();
  text_ += "# TYPE " + name + ' ' + type + '\n';
  if (name.ends_with("_bytes") || name.ends_with("_seconds") || name.ends_with("_ratio"))
    text_ += "# UNIT " + name + ' ' + name.substr(name.rfind('_') + 1) + '\n';
  text_ += "# HELP " + name + ' ' + escaped(help) + '\n';
  is_counter_ = type == "counter";
  name_ = name + (is_counter_ ? "_total" : type == "info" ? "_info" : "");
}

void OpenMetrics::sample(const Labels &labels, const Json &value) {
  if (!value.is_number()) // infinite: nothing is known
    return;
  std::string text;
  for (const auto &[label, of] : labels)
    text += (text.empty() ? '{' : ',') + label + "=\"" + escaped(of) + '"';
  text += (labels.empty() ? "" : "}");
  const auto [place, is_new] = places_.try_emplace(text, samples_.size());
  if (is_new) {
    samples_.emplace_back(std::move(text), value);
    return;
  }
  Json &known = samples_[place->second].second;
  if (is_counter_)
    known = sum_of(known, value);
  else if (known < value)
    known = value;
}

std::string OpenMetrics::text() && {
  end_family();
  return std::move(text_) + "# EOF\n";
}

} // namespace sartor

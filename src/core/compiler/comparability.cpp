// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/compiler/comparability.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace sartor::core {

namespace {

const char *place_of(Comparison how) {
  switch (how) {
  case Comparison::pure:
    return "in the process";
  case Comparison::writes:
    return "in the process, on copies of the memory that it writes";
  case Comparison::isolated:
    return "in a child process";
  case Comparison::none:
    return "not at all";
  }
  std::unreachable();
}

} // namespace

const char *name_of(Comparison how) {
  switch (how) {
  case Comparison::pure:
    return "pure";
  case Comparison::writes:
    return "writes";
  case Comparison::isolated:
    return "isolated";
  case Comparison::none:
    return "none";
  }
  std::unreachable();
}

std::string text_of(const Comparability &comparability) {
  std::string text = place_of(comparability.how);
  if (comparability.never_in_child)
    text += ", never in a child process";
  if (!comparability.reason.empty())
    text += ", because " + comparability.reason;
  if (!comparability.file.empty())
    text += " at " + comparability.file + ":" + std::to_string(comparability.line);
  return text;
}

nlohmann::ordered_json to_json(const Comparability &comparability) {
  nlohmann::ordered_json json{{"how", name_of(comparability.how)}};
  if (!comparability.reason.empty())
    json["reason"] = comparability.reason;
  if (!comparability.file.empty()) {
    json["file"] = comparability.file;
    json["line"] = comparability.line;
  }
  if (comparability.error)
    json["error"] = to_string(*comparability.error);
  json["text"] = text_of(comparability);
  return json;
}

} // namespace sartor::core

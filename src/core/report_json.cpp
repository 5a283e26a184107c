// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/report_json.h"

#include <chrono>

#include "base/text/fold_report_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

std::string_view name_of(VariantOrigin origin) {
  switch (origin) {
  case VariantOrigin::native:
    return "native";
  case VariantOrigin::compiled:
    return "compiled";
  case VariantOrigin::memory:
    return "memory";
  case VariantOrigin::disk:
    return "disk";
  case VariantOrigin::shared:
    return "shared";
  case VariantOrigin::ahead_of_time:
    return "ahead_of_time";
  }
  return "unknown";
}

namespace {

Json to_json(const VariantInfo &variant) {
  return {{"handler", variant.handler},
          {"name", variant.name},
          {"configuration", Json::parse(variant.configuration.json())},
          {"code_bytes", variant.code_bytes},
          {"resident_bytes", variant.resident_bytes},
          {"compile_time", std::chrono::duration<double>(variant.compile_time).count()},
          {"quick", variant.quick},
          {"origin", name_of(variant.origin)},
          {"remarks", to_json(variant.remarks)},
          {"fold_report", to_json(variant.fold_report)}};
}

} // namespace

std::string text_of(const VariantInfo &made) { return dump(to_json(made)); }

std::string text_of(const std::vector<VariantInfo> &made) {
  Json all = Json::array();
  for (const VariantInfo &variant : made)
    all.push_back(to_json(variant));
  return dump(all);
}

std::string text_of(const Statistics &statistics) {
  const Json reported{{"compiles", statistics.compiles},
                      {"staged", statistics.staged},
                      {"filled", statistics.filled},
                      {"cache_hits", statistics.cache_hits},
                      {"ahead_of_time", statistics.ahead_of_time},
                      {"alike", statistics.alike},
                      {"disk_hits", statistics.disk_hits},
                      {"disk_misses", statistics.disk_misses},
                      {"shared_hits", statistics.shared_hits},
                      {"shared_misses", statistics.shared_misses},
                      {"failures", statistics.failures},
                      {"switches", statistics.switches},
                      {"replugs", statistics.replugs},
                      {"verified", statistics.verified},
                      {"differences", statistics.differences},
                      {"reclaimed", statistics.reclaimed},
                      {"waiting", statistics.waiting},
                      {"variants", statistics.variants},
                      {"code_bytes", statistics.code_bytes},
                      {"resident_bytes", statistics.resident_bytes},
                      {"guard_failures", statistics.guard_failures}};
  return dump(reported);
}

} // namespace sartor

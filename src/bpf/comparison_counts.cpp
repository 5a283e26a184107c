// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/comparison_counts.h"

#include <utility>

#include "base/text/json.h"
#include "runtime/control/control.h"

namespace sartor::bpf {

ComparisonCounts::ComparisonCounts() { Control::instance().add(*this); }

ComparisonCounts::~ComparisonCounts() { Control::instance().remove(*this); }

void ComparisonCounts::add(const std::string &handler, const Result<Comparison> &compared) {
  const bool differs = !compared && compared.error().code == ErrorCode::quarantined;
  if ((!compared && !differs) || (compared && compared->not_compared == BpfNotCompared::off))
    return;
  const base::MutexLock lock(mutex_);
  OfHandler &counts = handlers_[handler];
  if (differs) {
    ++counts.differences;
  } else if (compared->not_compared) {
    ++counts.not_compared[*compared->not_compared];
  } else {
    ++counts.variants;
    counts.packets += compared->compared;
  }
}

nlohmann::ordered_json ComparisonCounts::status() {
  const base::MutexLock lock(mutex_);
  auto handlers = nlohmann::ordered_json::array();
  for (const auto &[handler, counts] : handlers_) {
    auto not_compared = nlohmann::ordered_json::object();
    for (const auto &[reason, count] : counts.not_compared)
      not_compared[std::string(to_string(reason))] = count;
    handlers.push_back({{"handler", handler},
                        {"compared", counts.variants},
                        {"packets", counts.packets},
                        {"differences", counts.differences},
                        {"not_compared", std::move(not_compared)}});
  }
  return handlers;
}

} // namespace sartor::bpf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/trials_so_far.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/value_json.h"
#include "tuner/evidence/interval.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostShown = 20;

} // namespace

void TrialsSoFar::begin(std::size_t candidates) {
  const base::MutexLock lock(mutex_);
  candidates_ = candidates;
  failed_ = 0;
  begin_ = std::chrono::steady_clock::now();
  tried_.clear();
}

void TrialsSoFar::add(const Trial &trial) {
  const base::MutexLock lock(mutex_);
  Tried &tried = tried_[trial.configuration];
  tried.samples += trial.sample_count;
  tried.score_sum += trial.score * static_cast<double>(trial.sample_count);
}

void TrialsSoFar::add_failed() {
  const base::MutexLock lock(mutex_);
  ++failed_;
}

Json TrialsSoFar::status() const {
  const base::MutexLock lock(mutex_);
  std::vector<std::pair<const Configuration *, Tried>> best;
  std::size_t samples = 0;
  for (const auto &[configuration, tried] : tried_) {
    if (tried.samples == 0)
      continue;
    samples += tried.samples;
    best.emplace_back(&configuration, tried);
  }
  std::ranges::sort(best, std::ranges::greater(),
                    [](const auto &each) { return each.second.score(); });
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(best.size(), kMostShown); ++i)
    rows.push_back({{"configuration", Json::parse(best[i].first->json())},
                    {"text", best[i].first->text()},
                    {"samples", best[i].second.samples},
                    {"score", best[i].second.score()},
                    {"of_best", times_as_good(best[i].second.score(), best[0].second.score())}});
  return {
      {"candidates", candidates_},
      {"seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count()},
      {"samples", samples},
      {"tried", best.size()},
      {"failed", failed_},
      {"best", std::move(rows)}};
}

} // namespace sartor

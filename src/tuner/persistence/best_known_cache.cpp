// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/best_known_cache.h"

namespace sartor {

bool BestKnownCache::bring_forward(const Signature &signature) {
  if (!signature.is_known())
    return false;
  auto nearest = best_known_.end();
  double apart = 2; // more than any distance
  for (auto it = best_known_.begin(); it != best_known_.end(); ++it)
    if (const auto by = distance(it->signature, signature); by && *by < apart)
      apart = *by, nearest = it;
  if (nearest == best_known_.end())
    return false;
  best_known_.splice(best_known_.begin(), best_known_, nearest);
  return true;
}

void BestKnownCache::remember(const Signature &signature, const Configuration &best) {
  if (!signature.is_known())
    return;
  if (bring_forward(signature)) {
    best_known_.front() = {signature, best};
    return;
  }
  best_known_.push_front({signature, best});
  if (best_known_.size() > most_)
    best_known_.pop_back();
}

std::optional<Configuration> BestKnownCache::recall(const Signature &signature) {
  if (!bring_forward(signature))
    return std::nullopt;
  return best_known_.front().configuration;
}

} // namespace sartor

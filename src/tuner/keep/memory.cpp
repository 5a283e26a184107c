// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/keep/memory.h"

namespace sartor {

bool WinnerMemory::bring_forward(const Signature &signature) {
  if (!signature.is_known())
    return false;
  auto nearest = winners_.end();
  double apart = 2; // more than any
  for (auto it = winners_.begin(); it != winners_.end(); ++it)
    if (const auto by = distance(it->signature, signature); by && *by < apart)
      apart = *by, nearest = it;
  if (nearest == winners_.end())
    return false;
  winners_.splice(winners_.begin(), winners_, nearest);
  return true;
}

void WinnerMemory::remember(const Signature &signature, const Configuration &winner) {
  if (!signature.is_known())
    return;
  if (bring_forward(signature)) {
    winners_.front() = {signature, winner};
    return;
  }
  winners_.push_front({signature, winner});
  if (winners_.size() > most_)
    winners_.pop_back();
}

std::optional<Configuration> WinnerMemory::recall(const Signature &signature) {
  if (!bring_forward(signature))
    return std::nullopt;
  return winners_.front().configuration;
}

} // namespace sartor

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/requested.h"

namespace sartor {

bool Requested::is_newest(std::uint64_t request) const {
  const base::MutexLock lock(mutex_);
  return configurations_.upper_bound(request) == configurations_.end();
}

void Requested::add(std::uint64_t request, const Configuration &configuration) {
  const base::MutexLock lock(mutex_);
  configurations_.emplace(request, configuration);
}

void Requested::failed(std::uint64_t request) {
  const base::MutexLock lock(mutex_);
  configurations_.erase(request);
}

void Requested::activated(std::uint64_t request) {
  const base::MutexLock lock(mutex_);
  if (const auto known = configurations_.find(request); known != configurations_.end())
    configurations_.erase(configurations_.begin(), known);
}

Configuration Requested::newest() const {
  const base::MutexLock lock(mutex_);
  return configurations_.empty() ? Configuration() : configurations_.rbegin()->second;
}

} // namespace sartor

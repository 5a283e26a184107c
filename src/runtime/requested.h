// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_REQUESTED_H
#define SARTOR_RUNTIME_REQUESTED_H

#include <cstdint>
#include <map>

#include <sartor/configuration.hpp>

#include "base/thread/mutex.h"

namespace sartor {

/// The configurations whose activation was requested and has not failed, by the number of the
/// request: from the active one to the newest. Thread-safe. Its lock is taken after the
/// runtime's, and no other one under it.
class Requested {
public:
  /// True if no activation has been requested since, except by requests that have failed.
  [[nodiscard]] bool is_newest(std::uint64_t request) const;

  void add(std::uint64_t request, const Configuration &configuration);
  void failed(std::uint64_t request);
  /// Forgets the requests before this one.
  void activated(std::uint64_t request);
  /// Returns the empty configuration if there is none.
  [[nodiscard]] Configuration newest() const;

private:
  mutable base::Mutex mutex_;
  std::map<std::uint64_t, Configuration> configurations_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor

#endif

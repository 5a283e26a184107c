// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_REQUESTED_H
#define SARTOR_RUNTIME_REQUESTED_H

#include <cstdint>
#include <map>

#include <sartor/configuration.hpp>

#include "base/thread/mutex.h"

namespace sartor {

/// The numbers of a runtime's requests, and the configurations whose activation was requested and
/// has not failed: from the active one to the newest. Thread-safe. Its lock is taken after the
/// runtime's, and no other one under it.
class Requested {
public:
  /// Returns the number of a new request.
  std::uint64_t next();
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
  std::uint64_t last_ SARTOR_GUARDED_BY(mutex_) = 0;
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_GENERATORS_H
#define SARTOR_RUNTIME_GENERATORS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sartor/generator.hpp>
#include <sartor/space.hpp>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/request/context.h"

namespace sartor {

/// The generators of custom points, by kind, with the settings that the program offers for them.
/// Thread-safe. Its lock is taken after the runtime's; the list of retired objects has its own.
class Generators {
public:
  /// Replaces the generator of this kind.
  void add(const std::string &kind, Generator generator, std::vector<Value> choices)
      SARTOR_EXCLUDES(base::any_mutex);
  /// Adds the generators that a context needs. Fails with unknown_custom_kind.
  Result<void> add_kinds(core::Context &context, const Space &space) const;
  void add_choices(std::vector<Point> &points) const;
  void clear();

private:
  mutable base::Mutex mutex_;
  core::CustomKinds kinds_ SARTOR_GUARDED_BY(mutex_);
  std::uint64_t added_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::vector<Value>, std::less<>> choices_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor

#endif

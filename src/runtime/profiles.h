// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_PROFILES_H
#define SARTOR_RUNTIME_PROFILES_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sartor/profile.hpp>
#include <sartor/space.hpp>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/profile/store.h"
#include "core/request/context.h"
#include "core/space/module.h"

namespace sartor {

/// The profile of an active runtime: the instrumented points, their counters, a loaded profile, and
/// the answers of fast paths that follow from them. Thread-safe. Its lock is taken after the
/// runtime's, and no other one under it.
class Profiles {
public:
  explicit Profiles(std::shared_ptr<const core::HandlerModule> module)
      : module_(std::move(module)) {}

  /// Contexts that are created from now on are instrumented. Fails with unknown_label,
  /// bad_value_type, point_not_specializable.
  Result<void> set_instrumented(core::Context::Instrumented every);
  [[nodiscard]] core::Context::Instrumented instrumented() const;
  void add_instrumentation(core::Context &context) const;

  /// Returns the results of a fast path to specialize to, which are valid as long as `invariant`
  /// is, if there is one.
  core::Answers answers_of(const Point &point, std::size_t most,
                           std::optional<std::uint64_t> invariant);
  /// Results that were recorded before an invariant was declared may be wrong under it.
  void forget_results(const std::string &label);

  /// Returns the recorded and the loaded profile together.
  [[nodiscard]] Profile current() const;
  void load(const Profile &profile);
  void clear();
  /// Adds to the points of a space what was seen at them.
  void add_summaries(std::vector<Point> &points) const;

private:
  /// The sources of a point's profile: the counters of a runtime, and a loaded profile. A copy, so
  /// that no thread waits while counters are read.
  struct Sources {
    const core::HandlerModule &module;
    std::shared_ptr<core::Store> store;
    Profile loaded;

    [[nodiscard]] PointProfile of(const Point &point) const;
  };
  [[nodiscard]] Sources sources() const;

  const std::shared_ptr<const core::HandlerModule> module_;
  mutable base::Mutex mutex_;
  core::Context::Instrumented instrumented_ SARTOR_GUARDED_BY(mutex_);
  /// Null until something is instrumented.
  std::shared_ptr<core::Store> store_ SARTOR_GUARDED_BY(mutex_);
  Profile loaded_ SARTOR_GUARDED_BY(mutex_);
  /// The last answers of a fast path, by label and number.
  std::map<std::pair<std::string, std::size_t>, core::Answers> given_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_POLICY_H
#define ROUTER_POLICY_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include <sartor/profile.hpp>
#include <sartor/sartor.hpp>

#include "ranges.h"
#include "router.h"

namespace router {

struct PolicyOptions {
  /// How long every lookup is profiled before an exploration.
  std::chrono::milliseconds profiling{100};
  /// The sizes of the fast path to try, in addition to none.
  std::vector<sartor::Value> sizes{16, 64, 256, 1024};
  /// The sampling period of lookups afterwards, in lookups, and the interval between evaluations.
  unsigned watch_every = 1000;
  std::chrono::milliseconds watch{500};
  /// The destinations have changed if the previously popular ones get less than this part of their
  /// former share.
  double remaining_share = 0.5;
};

/// Adapts a router to its traffic, on a thread of its own: profiles the lookups for a while,
/// explores the size of the fast path and the kind of search behind it with packets/s as the
/// objective, and repeats this when the destinations have changed.
///
/// A fast path has no guard that could fail, and packets/s also depends on the offered load. So
/// change detection uses the share of lookups for the destinations that were popular at the
/// decision, from a profile with a low sampling rate.
class Policy {
public:
  /// Both must outlive this object. The thread of `router` may set its routes at any time.
  Policy(sartor::Runtime &runtime, Router &router, PolicyOptions options = {});
  /// Stops. A fast path stays active, but not with the range search, whose invariant ends.
  ~Policy();
  Policy(const Policy &) = delete;
  Policy &operator=(const Policy &) = delete;

private:
  void run(const std::stop_token &stop);
  sartor::Profile learn(const std::stop_token &stop);
  void explore(const std::stop_token &stop);
  void watch(const std::stop_token &stop, const sartor::Profile &learnt);

  sartor::Runtime &runtime_;
  Router &router_;
  PolicyOptions options_;
  std::shared_ptr<RangeSearch> search_ = std::make_shared<RangeSearch>();
  std::jthread thread_;
};

} // namespace router

#endif

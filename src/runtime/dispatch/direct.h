// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_DIRECT_H
#define SARTOR_RUNTIME_DISPATCH_DIRECT_H

#include <sartor/module.h>

namespace sartor::runtime {

/// Routes the direct calls of a handler, until it is destroyed. Calls that go to native code are in
/// no read section and are not waited for.
class Direct {
public:
  /// Does nothing if `route` is null or already routed by another object.
  explicit Direct(sartor_direct *route);
  ~Direct();
  Direct(const Direct &) = delete;
  Direct &operator=(const Direct &) = delete;

  [[nodiscard]] bool routes() const { return route_ != nullptr; }
  /// The address by which calls that were routed to code reach the native code; null if nothing is
  /// routed.
  [[nodiscard]] void *way_out() const { return route_ ? route_->out : nullptr; }

  /// Routes calls to code. The code may be released when all read sections that began before its
  /// deactivation have ended.
  void route_to(void *code);
  void route_to_native();

private:
  sartor_direct *const route_;
};

} // namespace sartor::runtime

#endif

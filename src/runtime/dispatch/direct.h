// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_DIRECT_H
#define SARTOR_RUNTIME_DISPATCH_DIRECT_H

#include <sartor/module.h>

namespace sartor::runtime {

/// Leads the calls of a handler that the program calls as what it is, until it is destroyed. Calls
/// that go to native code are in no read section, and nobody waits for them.
class Direct {
public:
  /// Does nothing where there is no `lead`, or somebody leads it already.
  explicit Direct(sartor_direct *lead);
  ~Direct();
  Direct(const Direct &) = delete;
  Direct &operator=(const Direct &) = delete;

  [[nodiscard]] bool leads() const { return lead_ != nullptr; }
  /// What calls that were led to code go by to the native code; null if this does not lead.
  [[nodiscard]] void *way_out() const { return lead_ ? lead_->out : nullptr; }

  /// To code that may be given back, when no read section that began before it went out of force is
  /// under way.
  void lead_to(void *code);
  void lead_to_native();

private:
  sartor_direct *const lead_;
};

} // namespace sartor::runtime

#endif

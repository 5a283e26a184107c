// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_ENTRY_H
#define SARTOR_RUNTIME_DISPATCH_ENTRY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <sartor/handler.hpp>

#include "runtime/dispatch/direct.h"
#include "runtime/dispatch/holding_tank.h"
#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// The stable entry of one handler. Handles and entry functions read `code` without a lock; the
/// caller of all other functions must hold the runtime's lock.
class Entry : public detail::EntryTarget {
public:
  /// `generic` is the native code, which runs when no variant is active. `direct`: if the program
  /// calls the handler directly, those calls are routed to this entry as well, unless another entry
  /// routes them already.
  Entry(std::string handler, void *generic, sartor_direct *direct = nullptr);
  ~Entry();
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

  [[nodiscard]] const std::string &handler() const noexcept { return handler_; }
  /// Sets the name of the handler once it is known.
  void name(std::string handler) { handler_ = std::move(handler); }
  /// Null while the generic code is active.
  [[nodiscard]] const VariantRef &variant() const noexcept { return variant_; }

  /// Activates a variant (or, with null, the generic code) for every call from now on; running
  /// calls end in the code they began in. Does nothing and returns false if a newer request has
  /// already been served, or this one by a better tier.
  bool activate(VariantRef variant, std::uint64_t request);
  /// Undoes the activation by a request that has failed: this variant, of an earlier request, is
  /// active again, and requests from that one on may activate others. Returns false if the variant
  /// does not change.
  bool restore(VariantRef variant, std::uint64_t request);
  /// Activates another variant or, with null, the generic code, independent of requests. Returns
  /// the variant that was active, so that the caller can wait until no thread runs it. While calls
  /// are diverted, both are the variants that are active afterwards.
  [[nodiscard]] VariantRef fall_back(VariantRef to);
  /// The request that the active variant belongs to.
  [[nodiscard]] std::uint64_t request() const noexcept { return request_; }
  /// Routes calls through `stub` from now on, whatever is active; with null, to the active code.
  void divert(void *stub);
  /// Calls that would reach a variant go through `stub`, unless they are diverted; with null, they
  /// reach the variant again. The stub calls the variant itself.
  void check_with(void *stub);
  [[nodiscard]] bool is_checked() const noexcept { return check_stub_ != nullptr; }
  /// The active variant, for such a stub: valid in the caller's read section. Null if calls reach
  /// the generic code. Takes no lock.
  [[nodiscard]] const Variant *checked() const noexcept {
    return checked_.load(std::memory_order_acquire);
  }
  /// While it is switched off, calls reach the generic code, whatever is activated or diverted.
  void switch_off(bool off);
  [[nodiscard]] bool is_off() const noexcept { return is_off_; }
  /// New calls wait, if they can, until they are released or the time limit has passed, whatever is
  /// activated meanwhile. Does nothing if calls are already held. Returns whether calls are held.
  bool hold(const Holding &how);
  [[nodiscard]] const HoldingTank *tank() const noexcept { return tank_.get(); }
  void let_go();
  /// The code to which a released call goes. Takes no lock.
  [[nodiscard]] void *behind_tank(bool is_direct) const noexcept {
    return (is_direct ? behind_direct_ : behind_).load(std::memory_order_acquire);
  }
  [[nodiscard]] bool routes_direct_calls() const { return direct_ && direct_->routes(); }
  /// Routes direct calls to the native code, permanently.
  void leave_direct_calls() {
    let_go();
    direct_.reset();
  }
  /// The code that runs when no variant is active.
  [[nodiscard]] void *generic() const noexcept { return generic_; }

private:
  void route();
  bool replace(VariantRef variant);

  std::string handler_;
  void *generic_;
  VariantRef variant_;
  void *stub_ = nullptr;
  void *check_stub_ = nullptr;
  std::atomic<const Variant *> checked_ = nullptr;
  bool is_off_ = false;
  std::optional<Direct> direct_;
  std::unique_ptr<HoldingTank> tank_; ///< Null while calls are not held.
  std::atomic<void *> behind_;
  std::atomic<void *> behind_direct_ = nullptr;
  std::uint64_t request_ = 0;
};

} // namespace sartor::runtime

#endif

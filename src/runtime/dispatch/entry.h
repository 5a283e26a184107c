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

/// The stable way into one handler. Handles and entry functions read `code` without a lock; the
/// rest belongs to whoever holds the runtime's lock.
class Entry : public detail::EntryTarget {
public:
  /// `generic` is what runs without any variant: the native code. `direct`: where the program calls
  /// the handler as what it is, those calls are led as well, unless somebody leads them already.
  Entry(std::string handler, void *generic, sartor_direct *direct = nullptr);
  ~Entry();
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

  [[nodiscard]] const std::string &handler() const noexcept { return handler_; }
  /// Which handler it is has become known.
  void name(std::string handler) { handler_ = std::move(handler); }
  /// Null while the generic code is in force.
  [[nodiscard]] const VariantRef &variant() const noexcept { return variant_; }

  /// Puts a variant (or, with null, the generic code) in force for every call from now on; calls
  /// under way end in the code they began in. Ignored, returning false, if a newer request has
  /// already been served, or this one by a better tier.
  bool put_in_force(VariantRef variant, std::uint64_t request);
  /// Puts what is left in force, whatever was asked for before: another variant, or, with null, the
  /// generic code. Gives what was in force, for who waits until nobody runs it. While calls are
  /// diverted, both say what is in force afterwards.
  [[nodiscard]] VariantRef fall_back(VariantRef to);
  /// Of which request the variant in force is.
  [[nodiscard]] std::uint64_t request() const noexcept { return request_; }
  /// Leads calls through `stub` from now on, whatever is in force; with null, to what is in force.
  void divert(void *stub);
  /// New calls wait, if they can, until they are let go or their time is up, whatever is in force
  /// meanwhile. Of one who holds them already, nothing changes. Returns whether calls are held.
  bool hold(const Holding &how);
  [[nodiscard]] const HoldingTank *tank() const noexcept { return tank_.get(); }
  void let_go();
  /// Where a call goes that is let go. Without the lock.
  [[nodiscard]] void *behind_tank(bool is_direct) const noexcept {
    return (is_direct ? behind_direct_ : behind_).load(std::memory_order_acquire);
  }
  [[nodiscard]] bool leads_direct_calls() const { return direct_ && direct_->leads(); }
  /// Leaves direct calls to the native code, for good.
  void leave_direct_calls() {
    let_go();
    direct_.reset();
  }
  /// What runs without any variant.
  [[nodiscard]] void *generic() const noexcept { return generic_; }

private:
  void lead();

  std::string handler_;
  void *generic_;
  VariantRef variant_;
  void *stub_ = nullptr;
  std::optional<Direct> direct_;
  std::unique_ptr<HoldingTank> tank_; ///< Null while calls are not held.
  std::atomic<void *> behind_;
  std::atomic<void *> behind_direct_ = nullptr;
  std::uint64_t request_ = 0;
};

} // namespace sartor::runtime

#endif

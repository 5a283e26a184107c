// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/stores.h"

#include <atomic>
#include <utility>

#include "base/signal_context.h"
#include "runtime/assumptions/open_writes.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/assumptions/signal_writes.h"

namespace sartor::runtime {

namespace {

std::atomic<unsigned> counting = 0; ///< The number of StoreCount objects.
std::atomic<std::uint64_t> asked = 0;

void end_writes(OpenWrites &open) {
  const auto handed =
      open.end_store([](QuasiInvariantState &quasi_invariant, Permission permission) {
        quasi_invariant.end_write(permission);
      });
  if (handed != SignalWrites::kNone)
    SignalWrites::instance().end(handed);
}

/// Ends the begun parts of a store that is not made after all.
class Leaving {
public:
  explicit Leaving(OpenWrites &open) : open_(&open) {}
  ~Leaving() {
    if (open_)
      end_writes(*open_);
  }
  Leaving(const Leaving &) = delete;
  Leaving &operator=(const Leaving &) = delete;

  void stay() { open_ = nullptr; }

private:
  OpenWrites *open_;
};

} // namespace

bool begin_store(core::Extent memory, bool inside) {
  if (counting.load(std::memory_order_relaxed) != 0)
    asked.fetch_add(1, std::memory_order_relaxed);
  OpenWrites &open = OpenWrites::of_this_thread();
  QuasiInvariants &quasi_invariants = QuasiInvariants::instance();
  if (!quasi_invariants.may_be_about(memory)) {
    open.begin_store();
    return true;
  }
  if (base::is_in_signal_handler()) {
    const auto begun = SignalWrites::instance().begin(memory, inside);
    if (begun.permission != Permission::none)
      open.begin_store_by(begun.number);
    return begun.permission != Permission::none;
  }
  open.begin_store();
  Leaving leaving(open);
  for (auto &quasi_invariant : quasi_invariants.about(memory)) {
    const Permission permission = quasi_invariant->begin_write(
        reinterpret_cast<void *>(memory.address), memory.end - memory.address, inside);
    if (permission == Permission::none)
      return false;
    // If memory is exhausted and it cannot be recorded, the quasi-invariant does not become valid
    // again.
    (void)open.add_to_store(std::move(quasi_invariant), permission);
  }
  leaving.stay();
  return true;
}

void end_store() { end_writes(OpenWrites::of_this_thread()); }

StoreCount::StoreCount() { ++counting; }
StoreCount::~StoreCount() { --counting; }
std::uint64_t StoreCount::so_far() const { return asked.load(std::memory_order_relaxed); }

} // namespace sartor::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/stores.h"

#include <atomic>
#include <utility>

#include "base/signal_context.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/facts.h"
#include "runtime/assumptions/open_writes.h"
#include "runtime/assumptions/signal_writes.h"

namespace sartor::runtime {

namespace {

std::atomic<unsigned> counting = 0; ///< How many StoreCounts there are.
std::atomic<std::uint64_t> asked = 0;

void end_writes(OpenWrites &open) {
  const auto handed =
      open.end_store([](Fact &fact, Permission permission) { fact.end_write(permission); });
  if (handed != SignalWrites::kNone)
    SignalWrites::instance().end(handed);
}

/// Ends what has been begun of a store that is not made after all.
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
  Facts &facts = Facts::instance();
  if (!facts.may_be_about(memory)) {
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
  for (auto &fact : facts.about(memory)) {
    const Permission permission = fact->begin_write(reinterpret_cast<void *>(memory.address),
                                                    memory.end - memory.address, inside);
    if (permission == Permission::none)
      return false;
    // Where there is no memory to list it, the fact does not hold again.
    (void)open.add_to_store(std::move(fact), permission);
  }
  leaving.stay();
  return true;
}

void end_store() { end_writes(OpenWrites::of_this_thread()); }

StoreCount::StoreCount() { ++counting; }
StoreCount::~StoreCount() { --counting; }
std::uint64_t StoreCount::so_far() const { return asked.load(std::memory_order_relaxed); }

} // namespace sartor::runtime

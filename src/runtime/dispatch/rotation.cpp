// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/rotation.h"

#include <algorithm>
#include <utility>

#include <x86intrin.h>

#include "base/map_pages.h"
#include "runtime/dispatch/retire.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SARTOR_THREAD_SANITIZER
extern "C" void __tsan_acquire(void *);
extern "C" void __tsan_release(void *);
#endif
#endif

namespace sartor::runtime {

using base::PerThread;

namespace {

constexpr std::size_t kMostThreads = 0xffff;

/// Returns the time that the stub's time measurement adds to every call: the minimum over many
/// empty ones.
std::uint64_t timer_ticks() {
  static const std::uint64_t least = [] {
    std::uint64_t smallest = ~std::uint64_t{0};
    for (int i = 0; i < 1000; ++i) {
      unsigned processor = 0;
      _mm_lfence();
      const std::uint64_t begin = __rdtsc();
      const std::uint64_t end = __rdtscp(&processor);
      smallest = std::min(smallest, end - begin);
    }
    return smallest;
  }();
  return least;
}

std::uint64_t new_number() {
  static std::atomic<std::uint64_t> last = RotationBlock::kIdle;
  return ++last;
}

} // namespace

RotationPlan::~RotationPlan() {
#ifdef SARTOR_THREAD_SANITIZER
  __tsan_acquire(this);
#endif
}

void RotationPlan::done() const {
#ifdef SARTOR_THREAD_SANITIZER
  __tsan_release(const_cast<RotationPlan *>(this));
#endif
}

Result<std::unique_ptr<Rotation>> Rotation::create(Entry &entry) {
  auto blocks = PerThread<RotationBlock>::create();
  if (!blocks)
    return std::unexpected(Failure{ErrorCode::bad_objective, entry.handler(),
                                   "too many handlers of this process have been measured by calls",
                                   "destroy runtimes that are not used any more"});
  return std::unique_ptr<Rotation>(new Rotation(entry, std::move(blocks)));
}

Rotation::Rotation(Entry &entry, std::unique_ptr<PerThread<RotationBlock>> blocks)
    : entry_(entry), timer_ticks_(timer_ticks()), number_(new_number()),
      blocks_(std::move(blocks)) {}

Rotation::~Rotation() { stop(); }

core::RotationSite Rotation::site() {
  return {.table = PerThread<RotationBlock>::table_offset(),
          .slot = blocks_->slot(),
          .plan = &number_,
          .rotation = this,
          .enter = &Rotation::enter,
          .next = &Rotation::next};
}

std::uint64_t Rotation::start(const std::vector<VariantRef> &lanes, double budget) {
  auto plan = std::make_shared<RotationPlan>(new_number(), lanes.size(), budget);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    plan->lanes[i].variant = lanes[i];
    plan->lanes[i].code = lanes[i] ? lanes[i]->code->entry() : entry_.generic();
  }
  std::shared_ptr<const RotationPlan> old = std::exchange(plan_, plan);
  current_.store(plan.get(), std::memory_order_release);
  std::atomic_ref(number_).store(plan->number, std::memory_order_release);
  entry_.divert(stub_->entry());
  retire(std::move(old));
  return plan->number;
}

void Rotation::stop() {
  if (!plan_)
    return;
  entry_.divert(nullptr);
  current_.store(nullptr, std::memory_order_release);
  std::atomic_ref(number_).store(new_number(), std::memory_order_release);
  retire(std::exchange(plan_, nullptr));
}

void Rotation::set_out(std::size_t lane, bool is_out) {
  if (plan_ && lane != 0)
    plan_->lanes[lane].out.store(is_out, std::memory_order_relaxed);
}

void Rotation::take(std::vector<RotationSample> &samples) {
  RotationSample sample{};
  blocks_->for_each([&](RotationBlock &block) {
    while (block.take(sample))
      samples.push_back(sample);
  });
}

void *Rotation::enter(void *rotation) {
  auto &self = *static_cast<Rotation *>(rotation);
  RotationBlock *block = self.blocks_->mine();
  // Within a call: takes the same variant, if its code still exists.
  if (block && block->armed == 0) {
    const bool alive =
        block->plan() == std::atomic_ref(self.number_).load(std::memory_order_acquire);
    return alive ? std::atomic_ref(block->code).load(std::memory_order_relaxed)
                 : self.entry_.generic();
  }
  // The caller is in a read section: the active variant stays until it has left.
  const RotationPlan *plan = self.current_.load(std::memory_order_acquire);
  if (!plan)
    return self.entry_.generic();
  if (!block)
    block = self.acquire();
  if (!block)
    return self.entry_.generic();
  block->armed = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  block->enter(*plan, __rdtsc());
  plan->done();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  block->armed = block->plan();
  return nullptr;
}

void Rotation::next(void *rotation, core::RotationBlock *ended) {
  auto &self = *static_cast<Rotation *>(rotation);
  auto &block = *static_cast<RotationBlock *>(ended);
  if (const RotationPlan *plan = self.current_.load(std::memory_order_acquire)) {
    block.next(*plan, __rdtsc());
    plan->done();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    block.armed = block.plan();
  } else {
    block.leave();
  }
}

RotationBlock *Rotation::acquire() {
  const auto never = [](const RotationBlock &) { return false; };
  RotationBlock *mine = blocks_->acquire(never, [this]() -> RotationBlock * {
    const std::uint32_t number = blocks_made_.fetch_add(1);
    void *memory = number < kMostThreads ? base::map_pages(sizeof(RotationBlock)) : nullptr;
    return memory ? new (memory) RotationBlock(static_cast<std::uint16_t>(number), timer_ticks_)
                  : nullptr;
  });
  if (mine)
    blocks_->show(*mine);
  return mine;
}

} // namespace sartor::runtime

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/rotation_block.h"

#include <algorithm>
#include <utility>

#include "base/default_floats.h"

namespace sartor::runtime {

namespace {

/// The maximum and minimum number of measured calls in a batch; the maximum applies if calls are
/// frequent.
constexpr std::int64_t kMostCalls = 32;
constexpr std::int64_t kFewestCalls = 2;
/// The calls of a thread's first batches, while the rate of calls is not known.
constexpr std::int64_t kFirstCalls = 4;
/// The maximum duration of a batch in time stamps, including the time between calls: about a
/// millisecond. So a handler that is called seldom completes its rounds.
constexpr std::int64_t kBatchTicks = 1 << 21;
/// Batches of at least this many calls are preceded by two warm-up calls, shorter ones by one.
constexpr std::int64_t kLongBatch = 16;
/// A batch of another lane is cut off at this multiple of the time that the incumbent's would take.
constexpr double kCutAt = 2;
/// The largest excess that is charged for one turn, in calls of the incumbent. A larger one is
/// attributed to the machine, such as a thread that was not running; it would have to be paid for
/// with thousands of batches.
constexpr double kMostCharged = 128;
/// Unused budget is saved for at most this many batches.
constexpr double kMostSaved = 16;
/// The calls of an unrecorded batch while no thread takes the samples.
constexpr std::int64_t kRestingCalls = 256;
/// The weight of a new batch in the mean of the incumbent's ticks, and the limit for its deviation
/// from the mean.
constexpr double kNewWeight = 1.0 / 8;
constexpr double kLargestStep = 2;

// Keeps the order of writes for a signal handler that interrupts this thread.
void signal_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

} // namespace

RotationBlock::RotationBlock(std::uint16_t number, std::uint64_t timer_ticks)
    : core::RotationBlock{kIdle, nullptr, 0, 0, 0}, plan_(0), round_(0),
      random_((number + 1U) * 0x9e37'79b9'7f4a'7c15), timer_ticks_(timer_ticks),
      incumbent_ticks_(0), credit_(0), round_began_(0), round_calls_(0), calls_so_far_(0),
      batch_calls_(kFirstCalls), calls_(0), turn_(Turn::warming), number_(number), position_(0),
      lanes_(0) {}

void RotationBlock::enter(const RotationPlan &plan, std::uint64_t now) {
  if (plan_ == plan.number)
    return;
  plan_ = kIdle; // `code` is not valid until the first turn begins
  signal_fence();
  lanes_ = plan.lanes.size();
  for (std::size_t lane = 0; lane < lanes_; ++lane)
    order_[lane] = static_cast<std::uint8_t>(lane);
  incumbent_ticks_ = 0;
  credit_ = 0;
  calls_so_far_ = 0;
  ++round_;
  round_began_ = now;
  round_calls_ = 0;
  batch_calls_ = std::min(batch_calls_, kFirstCalls);
  // In the first round the incumbent comes first: the others are compared with it.
  shuffle(1);
  position_ = 0;
  begin_turn(plan, now);
  signal_fence();
  plan_ = plan.number;
}

void RotationBlock::next(const RotationPlan &plan, std::uint64_t now) {
  const base::DefaultFloats floats;
  if (plan_ != plan.number)
    return enter(plan, now);
  const std::size_t lane = turn_ == Turn::unrecorded ? 0 : order_[position_];
  const std::int64_t calls = std::max<std::int64_t>(calls_ - left, 1);
  settle(plan, lane, net_ticks(ticks, calls), calls);
  // A warm-up batch is not a sample, even if it took so long that it was cut off: samples would
  // then include the expensive calls of warm-up batches without the cheap ones.
  if (turn_ == Turn::warming)
    return begin_batch(plan, lane, Turn::measured, batch_calls_);
  if (turn_ != Turn::unrecorded) {
    record(plan, lane);
    ++position_;
  }
  begin_turn(plan, now);
}

void RotationBlock::leave() {
  armed = kIdle;
  plan_ = kIdle;
}

/// Puts the lanes from a position on into random order.
void RotationBlock::shuffle(std::size_t from) {
  for (std::size_t last = lanes_ - 1; last > from; --last) {
    random_ ^= random_ << 13; // G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8, 2003
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    std::swap(order_[last], order_[from + random_ % (last - from + 1)]);
  }
}

void RotationBlock::begin_round(std::uint64_t now) {
  ++round_;
  size_batches(now);
  shuffle(0);
  position_ = 0;
}

void RotationBlock::begin_turn(const RotationPlan &plan, std::uint64_t now) {
  const auto skip = [&] {
    while (position_ < lanes_ && plan.lanes[order_[position_]].out.load(std::memory_order_relaxed))
      ++position_;
  };
  skip();
  if (position_ == lanes_) {
    if (!has_room(lanes_))
      return begin_batch(plan, 0, Turn::unrecorded, kRestingCalls);
    begin_round(now);
    skip(); // the incumbent is never excluded
  }
  const std::size_t lane = order_[position_];
  if (lane != 0 && credit_ < 0)
    return begin_batch(plan, 0, Turn::unrecorded, batch_calls_);
  begin_batch(plan, lane, Turn::warming, batch_calls_ >= kLongBatch ? 2 : 1);
}

void RotationBlock::begin_batch(const RotationPlan &plan, std::size_t lane, Turn turn,
                                std::int64_t calls) {
  turn_ = turn;
  calls_ = left = calls;
  ticks = 0;
  most_ticks = ~std::uint64_t{0};
  if (lane != 0 && incumbent_ticks_ > 0)
    most_ticks = static_cast<std::uint64_t>(kCutAt * static_cast<double>(batch_calls_) *
                                            (incumbent_ticks_ + static_cast<double>(timer_ticks_)));
  std::atomic_ref(code).store(plan.lanes[lane].code, std::memory_order_relaxed);
}

/// Adds a batch to the account.
void RotationBlock::settle(const RotationPlan &plan, std::size_t lane, std::uint64_t ticks,
                           std::int64_t calls) {
  round_calls_ += calls;
  calls_so_far_ += static_cast<std::uint64_t>(calls);
  const auto took = static_cast<double>(ticks);
  const auto made = static_cast<double>(calls);
  if (lane == 0 && turn_ != Turn::warming) {
    const double each = took / made;
    incumbent_ticks_ =
        incumbent_ticks_ > 0
            ? incumbent_ticks_ +
                  kNewWeight * (std::min(each, kLargestStep * incumbent_ticks_) - incumbent_ticks_)
            : each;
  }
  if (incumbent_ticks_ <= 0)
    return;
  const double fair = made * incumbent_ticks_;
  const double excess =
      lane == 0 ? 0 : std::clamp(took - fair, 0.0, kMostCharged * incumbent_ticks_);
  credit_ += plan.budget * (fair + excess) - excess;
  credit_ = std::min(credit_,
                     plan.budget * kMostSaved * static_cast<double>(kMostCalls) * incumbent_ticks_);
}

void RotationBlock::record(const RotationPlan &plan, std::size_t lane) {
  const std::uint64_t at = written_.load(std::memory_order_relaxed);
  if (at - taken_.load(std::memory_order_acquire) >= kRing)
    return;
  const std::int64_t calls = std::max<std::int64_t>(calls_ - left, 1);
  ring_[at % kRing] = {plan.number,
                       round_,
                       net_ticks(ticks, calls),
                       static_cast<std::uint32_t>(calls),
                       static_cast<std::uint16_t>(lane),
                       number_,
                       calls_so_far_};
  written_.store(at + 1, std::memory_order_release);
}

bool RotationBlock::take(RotationSample &sample) {
  const std::uint64_t at = taken_.load(std::memory_order_relaxed);
  if (at == written_.load(std::memory_order_acquire))
    return false;
  sample = ring_[at % kRing];
  taken_.store(at + 1, std::memory_order_release);
  return true;
}

bool RotationBlock::has_room(std::size_t samples) const {
  return written_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_acquire) +
             samples <=
         kRing;
}

/// Sets the size of batches from the rate of calls in the round that ends.
void RotationBlock::size_batches(std::uint64_t now) {
  if (round_calls_ > 0) {
    const auto gap = static_cast<std::int64_t>(now - round_began_) / round_calls_;
    batch_calls_ =
        std::clamp(kBatchTicks / std::max<std::int64_t>(gap, 1), kFewestCalls, kMostCalls);
  }
  round_began_ = now;
  round_calls_ = 0;
}

std::uint64_t RotationBlock::net_ticks(std::uint64_t ticks, std::int64_t calls) const {
  const auto count = static_cast<std::uint64_t>(calls);
  return std::max(ticks - std::min(ticks, timer_ticks_ * count), count);
}

} // namespace sartor::runtime

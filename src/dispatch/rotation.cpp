// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/rotation.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <mutex>
#include <new>
#include <utility>

#include <pthread.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include "dispatch/retire.h"
#include "engine/mutex.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SARTOR_THREAD_SANITIZER
extern "C" void __tsan_acquire(void *);
extern "C" void __tsan_release(void *);
#endif
#endif

namespace sartor::dispatch {

namespace {

constexpr unsigned kMostRotations = 256;
constexpr std::size_t kMostThreads = 0xffff;

/// A thread's blocks, by the rotation's slot.
struct ThreadTable {
  std::array<std::atomic<jit::RotationBlock *>, kMostRotations> blocks;
};

/// The table of threads that have none yet.
ThreadTable nothing;

// Initial-exec (see CMakeLists.txt): at a fixed distance from the thread pointer.
thread_local ThreadTable *current = &nothing;

/// Which slots are taken. The lock is also held while blocks lose their threads, or threads their
/// blocks.
struct Registry {
  engine::Mutex mutex;
  std::array<bool, kMostRotations> taken{};
};

Registry &registry() {
  static auto *instance = new Registry; // threads may end after static objects
  return *instance;
}

/// Zeroed pages: what a signal handler may ask for. Null if there are none.
void *pages(std::size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// The owner of a table is on its way out.
void end_thread(void *table) {
  auto *ended = static_cast<ThreadTable *>(table);
  current = &nothing;
  {
    const std::scoped_lock lock(registry().mutex);
    for (const auto &entry : ended->blocks)
      if (auto *block = static_cast<RotationBlock *>(entry.load())) {
        block->leave();
        block->owner.store(nullptr, std::memory_order_release);
      }
  }
  ended->~ThreadTable();
  munmap(table, sizeof(ThreadTable));
}

pthread_key_t thread_end() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (pthread_key_create(&made, end_thread) != 0)
      throw std::bad_alloc();
    return made;
  }();
  return key;
}

/// Signals wait while one exists: the thread's table is being changed.
class NoSignals {
public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals &) = delete;
  NoSignals &operator=(const NoSignals &) = delete;

private:
  sigset_t before_{};
};

/// What the stub's way of timing adds to every call: the least of many empty ones.
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
  (void)thread_end(); // here rather than in a call
  const std::scoped_lock lock(registry().mutex);
  auto &taken = registry().taken;
  const auto slot = std::ranges::find(taken, false);
  if (slot == taken.end())
    return std::unexpected(Failure{ErrorCode::bad_objective, entry.handler(),
                                   "too many handlers of this process have been measured by calls",
                                   "destroy runtimes that are not used any more"});
  *slot = true;
  return std::unique_ptr<Rotation>(
      new Rotation(entry, static_cast<unsigned>(slot - taken.begin())));
}

Rotation::Rotation(Entry &entry, unsigned slot)
    : entry_(entry), slot_(slot), timer_ticks_(timer_ticks()), number_(new_number()) {}

Rotation::~Rotation() {
  stop();
  const std::scoped_lock lock(registry().mutex);
  for (RotationBlock *block = blocks_; block;) {
    if (auto *table = static_cast<ThreadTable *>(block->owner.load()))
      table->blocks[slot_].store(nullptr);
    RotationBlock *gone = std::exchange(block, block->following);
    gone->~RotationBlock();
    munmap(gone, sizeof(RotationBlock));
  }
  registry().taken[slot_] = false;
}

jit::RotationSite Rotation::site() {
  return {.table = reinterpret_cast<const char *>(&current) -
                   static_cast<const char *>(__builtin_thread_pointer()),
          .slot = slot_,
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

void Rotation::leave_out(std::size_t lane) {
  if (plan_ && lane != 0)
    plan_->lanes[lane].out.store(true, std::memory_order_relaxed);
}

void Rotation::take(std::vector<RotationSample> &samples) {
  RotationSample sample{};
  for (RotationBlock *block = blocks_.load(std::memory_order_acquire); block;
       block = block->following)
    while (block->take(sample))
      samples.push_back(sample);
}

void *Rotation::enter(void *rotation) {
  auto &self = *static_cast<Rotation *>(rotation);
  auto *block =
      static_cast<RotationBlock *>(current->blocks[self.slot_].load(std::memory_order_relaxed));
  if (block && block->armed == 0) { // within a call: as that call does, if its code is still there
    const bool alive =
        block->plan() == std::atomic_ref(self.number_).load(std::memory_order_acquire);
    return alive ? std::atomic_ref(block->code).load(std::memory_order_relaxed)
                 : self.entry_.generic();
  }
  // The caller is in a read section: what is in force now stays until it has left.
  const RotationPlan *plan = self.current_.load(std::memory_order_acquire);
  if (!plan)
    return self.entry_.generic();
  if (!block)
    block = self.acquire();
  if (!block)
    return self.entry_.generic();
  block->armed = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  block->enter(*plan);
  plan->done();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  block->armed = block->plan();
  return nullptr;
}

void Rotation::next(void *rotation, jit::RotationBlock *ended) {
  auto &self = *static_cast<Rotation *>(rotation);
  auto &block = *static_cast<RotationBlock *>(ended);
  if (const RotationPlan *plan = self.current_.load(std::memory_order_acquire)) {
    block.next(*plan);
    plan->done();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    block.armed = block.plan();
  } else {
    block.leave();
  }
}

RotationBlock *Rotation::acquire() {
  const NoSignals quiet;
  if (current == &nothing) {
    void *memory = pages(sizeof(ThreadTable));
    if (!memory)
      return nullptr;
    if (pthread_setspecific(thread_end(), memory) != 0) {
      munmap(memory, sizeof(ThreadTable));
      return nullptr;
    }
    current = new (memory) ThreadTable{};
  }
  RotationBlock *mine = nullptr;
  for (RotationBlock *block = blocks_.load(std::memory_order_acquire); block && !mine;
       block = block->following) {
    void *nobody = nullptr;
    if (block->owner.compare_exchange_strong(nobody, current, std::memory_order_acquire))
      mine = block;
  }
  if (!mine) {
    const std::uint32_t number = blocks_made_.fetch_add(1);
    void *memory = number < kMostThreads ? pages(sizeof(RotationBlock)) : nullptr;
    if (!memory)
      return nullptr;
    mine = new (memory) RotationBlock(static_cast<std::uint16_t>(number), timer_ticks_);
    mine->owner.store(current, std::memory_order_relaxed);
    mine->following = blocks_.load(std::memory_order_relaxed);
    while (!blocks_.compare_exchange_weak(mine->following, mine, std::memory_order_release))
      ;
  }
  current->blocks[slot_].store(mine, std::memory_order_release);
  return mine;
}

} // namespace sartor::dispatch

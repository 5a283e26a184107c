// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/readers.h"

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <new>

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <sartor/read_section.hpp>

#include "base/after_calls.h"
#include "base/map_pages.h"
#include "base/open_sections.h"
#include "base/thread/own_stack.h"

namespace sartor::detail {

__thread Reader *reader = nullptr;
Epoch epoch{(1UL << 32) + 1};

} // namespace sartor::detail

namespace sartor::base {

namespace {

using detail::kNesting;
using detail::kUnknownFrame;
using detail::Reader;

constexpr std::size_t kInChunk = 31;
constexpr unsigned long kUnknownStack = ~0UL;
/// Epochs have 32 bits. Sections that are older than this many are marked, as a comparison of
/// epochs would soon take them for new ones.
constexpr std::uint32_t kLong = 1U << 29;
constexpr std::uint64_t kIsAncient = 1UL << 32;

/// Never freed; reused by other threads.
struct alignas(64) Record : Reader {
  std::atomic<pid_t> owner{0}; ///< The thread's number; 0 if the record is free.
  bool has_looked = false;     ///< True once the thread's stack was looked up.
  /// Value of `word` while the thread is blocked; `word` differs within sections that it begins
  /// meanwhile. 0 if it is not blocked.
  std::atomic<unsigned long> blocked{0};
  std::atomic<std::uint64_t> blocked_since{0}; ///< A value of stamp().
  /// The epoch of a section that began long ago, with kIsAncient; else 0.
  std::atomic<std::uint64_t> ancient{0};
};

struct Chunk {
  std::array<Record, kInChunk> records;
  Chunk *next = nullptr;
};

Chunk first_chunk;
std::atomic<Chunk *> chunks = &first_chunk;
std::atomic<std::uint64_t> repaired = 0;
std::atomic<std::uint64_t> periods = 1;

// The record that a direct call finds in an unknown thread: one that is inside a section.
Reader no_reader{.word = 1,
                 .frame = kUnknownFrame,
                 .place = 0,
                 .stack = kUnknownStack,
                 .stack_end = 0,
                 .frame_before = 0};
__thread Reader *direct_reader = &no_reader;

// The thread's record, also set if the inlined code must not find one (detail::reader).
__thread Record *own = nullptr;

int membarrier(int command) { return static_cast<int>(syscall(SYS_membarrier, command, 0, 0)); }

bool ask_for_membarrier() { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

void end_thread(void *record) {
  auto *ended = static_cast<Record *>(record);
  detail::reader = nullptr;
  direct_reader = &no_reader;
  own = nullptr;
  __atomic_store_n(&ended->frame, kUnknownFrame, __ATOMIC_RELAXED);
  __atomic_store_n(&ended->frame_before, 0UL, __ATOMIC_RELAXED);
  ended->blocked.store(0, std::memory_order_relaxed);
  __atomic_store_n(&ended->word, 0UL, __ATOMIC_RELEASE);
  ended->owner.store(0, std::memory_order_release);
}

/// Runs when the library is loaded rather than in a call. Earlier calls have a fence.
struct Setup {
  Setup()
      : has_membarrier(!checks_calls() && ask_for_membarrier()),
        has_key(pthread_key_create(&key, end_thread) == 0) {}

  const bool has_membarrier;
  pthread_key_t key{};
  const bool has_key; ///< If false, records are not reused.
};
[[gnu::init_priority(200)]] const Setup setup;

std::uint32_t epoch_of(unsigned long word) { return static_cast<std::uint32_t>(word >> 32); }

bool is_before(std::uint32_t one, std::uint32_t other) {
  return static_cast<std::int32_t>(one - other) < 0;
}

template <class Do> void for_each_record(Do &&act) {
  for (Chunk *chunk = chunks.load(std::memory_order_acquire); chunk; chunk = chunk->next)
    for (Record &record : chunk->records)
      act(record);
}

Record *take_record(pid_t me) {
  Record *mine = nullptr;
  for_each_record([&](Record &record) {
    pid_t none = 0;
    if (!mine && record.owner.compare_exchange_strong(none, me, std::memory_order_acquire))
      mine = &record;
  });
  return mine;
}

Record *make_record(pid_t me) {
  void *memory = map_pages(sizeof(Chunk));
  if (!memory)
    return nullptr;
  auto *chunk = new (memory) Chunk;
  Record &mine = chunk->records.front();
  mine.owner.store(me, std::memory_order_relaxed);
  chunk->next = chunks.load(std::memory_order_relaxed);
  while (!chunks.compare_exchange_weak(chunk->next, chunk, std::memory_order_release))
    ;
  return &mine;
}

// May be called in a signal handler: the thread's first call of a handler may be there.
Record &my_record() {
  if (own)
    return *own;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  if (!own) {
    const pid_t me = gettid();
    Record *mine = take_record(me);
    while (!mine && !(mine = make_record(me))) // out of memory; other threads may end
      sched_yield(), mine = take_record(me);
    __atomic_store_n(&mine->word, 0UL, __ATOMIC_RELAXED);
    __atomic_store_n(&mine->frame, kUnknownFrame, __ATOMIC_RELAXED);
    __atomic_store_n(&mine->frame_before, 0UL, __ATOMIC_RELAXED);
    mine->stack = kUnknownStack;
    mine->stack_end = 0;
    mine->has_looked = false;
    if (setup.has_key)
      (void)pthread_setspecific(setup.key, mine);
    own = mine;
    if (setup.has_membarrier)
      detail::reader = direct_reader = mine;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return *own;
}

void look_up_stack(Record &record) {
  record.has_looked = true;
  if (const auto stack = OwnStack::find()) {
    record.stack_end = stack->end;
    record.stack = stack->low;
  }
}

/// True if the frame is on the thread's own stack. Frames of different stacks cannot be compared.
bool is_own_stack(Record &record, unsigned long frame) {
  if (!record.has_looked)
    look_up_stack(record);
  return frame >= record.stack && frame < record.stack_end;
}

/// True if the outermost section's frame is gone, because a live one would be further up.
bool was_jumped_out_of(Record &record, unsigned long frame) {
  const unsigned long outermost = record.frame;
  return frame >= outermost && is_own_stack(record, frame) && is_own_stack(record, outermost);
}

/// State of a walk up the stack.
struct Walk {
  unsigned long outermost; ///< The caller's stack pointer.
  unsigned long place;
  unsigned long stack_pointer = 0; ///< Stack pointer of the previous frame.
  unsigned long address = 0;
  bool is_live = true;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context *context, void *argument) {
  auto &walk = *static_cast<Walk *>(argument);
  const unsigned long stack_pointer = _Unwind_GetCFA(context);
  if (stack_pointer <= walk.outermost) {
    walk.stack_pointer = stack_pointer;
    walk.address = _Unwind_GetIP(context);
    return _URC_NO_REASON;
  }
  // The previous frame is the one that must be the caller's.
  const unsigned long place = walk.place & ~detail::kReturnAddress;
  const auto function_at = [](unsigned long address) {
    return _Unwind_FindEnclosingFunction(reinterpret_cast<void *>(address));
  };
  walk.is_live = walk.place & detail::kReturnAddress
                     ? walk.stack_pointer == walk.outermost && walk.address == place
                     : walk.address != 0 && function_at(walk.address) == function_at(place);
  return _URC_END_OF_STACK;
}

/// True if the calling frame is still live, further up this stack. Also true if that is unknown: if
/// a frame in between has no unwind data, or the same function has called something else.
bool caller_is_live(const Record &record) {
  Walk walk{.outermost = record.frame, .place = record.place};
  if (record.place == 0) { // a direct call
    walk.place = *reinterpret_cast<const unsigned long *>(record.frame) | detail::kReturnAddress;
    walk.outermost += sizeof(void *);
  }
  _Unwind_Backtrace(look_at_frame, &walk);
  return walk.is_live;
}

void begin_outermost(Record &record, unsigned long frame, unsigned long place) {
  record.blocked.store(0, std::memory_order_relaxed); // may be set after longjmp()
  __atomic_store_n(&record.frame, kUnknownFrame, __ATOMIC_RELAXED);
  __atomic_store_n(&record.frame_before, 0UL, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&record.word, __atomic_load_n(&detail::epoch.now, __ATOMIC_ACQUIRE),
                   __ATOMIC_RELAXED);
  if (setup.has_membarrier)
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&record.place, place, __ATOMIC_RELAXED);
  __atomic_store_n(&record.frame, place != 0 ? frame : kUnknownFrame, __ATOMIC_RELAXED);
}

/// Called once in kLong epochs.
void mark_ancient_sections(std::uint32_t now) {
  for_each_record([&](Record &record) {
    const unsigned long word = __atomic_load_n(&record.word, __ATOMIC_ACQUIRE);
    const std::uint64_t epoch = epoch_of(word) | kIsAncient;
    const bool is_ancient = (word & kNesting) && (record.ancient.load() == epoch ||
                                                  is_before(epoch_of(word), now - kLong));
    record.ancient.store(is_ancient ? epoch : 0);
  });
}

/// Whether a section that is open began before an epoch.
bool began_before(const Record &record, unsigned long word, std::uint32_t epoch) {
  return is_before(epoch_of(word), epoch) || record.ancient.load() == (epoch_of(word) | kIsAncient);
}

} // namespace

void fence_for_all() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!setup.has_membarrier || membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0)
    return;
  // A sandbox has forbidden membarrier() since. Processors drain their store buffers in
  // microseconds (A. Morrison, Y. Afek, "Temporally Bounding TSO for Fence-Free Asymmetric
  // Synchronization", ASPLOS 2015).
  const timespec long_enough{0, 50'000'000};
  nanosleep(&long_enough, nullptr);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

GracePeriod::GracePeriod() {
  fence_for_all();
  periods.fetch_add(1);
  epoch_ = epoch_of(__atomic_add_fetch(&detail::epoch.now, 1UL << 32, __ATOMIC_ACQ_REL));
  if (epoch_ % kLong == 0)
    mark_ancient_sections(epoch_);
}

pid_t GracePeriod::find(bool blocked_too) const {
  pid_t found = 0;
  for_each_record([&](const Record &record) {
    const unsigned long blocked = record.blocked.load(std::memory_order_acquire);
    const unsigned long word = __atomic_load_n(&record.word, __ATOMIC_ACQUIRE);
    if ((word & kNesting) && began_before(record, word, epoch_) && (blocked_too || word != blocked))
      found = record.owner.load(std::memory_order_relaxed);
  });
  return found;
}

std::uint64_t stamp() { return periods.load(); }

bool GracePeriod::blocked_may_use(std::uint64_t stamp) const {
  bool found = false;
  for_each_record([&](const Record &record) {
    const unsigned long blocked = record.blocked.load(std::memory_order_acquire);
    const unsigned long word = __atomic_load_n(&record.word, __ATOMIC_ACQUIRE);
    const std::uint64_t since = record.blocked_since.load(std::memory_order_acquire);
    found = found || ((word & kNesting) && word == blocked && began_before(record, word, epoch_) &&
                      stamp <= since);
  });
  return found;
}

bool inside_handler(std::uintptr_t frame) {
  if (!own || (own->word & kNesting) == 0)
    return false;
  if (!was_jumped_out_of(*own, frame) &&
      !(is_own_stack(*own, frame) && is_own_stack(*own, own->frame) && !caller_is_live(*own)))
    return true;
  __atomic_store_n(&own->frame, kUnknownFrame, __ATOMIC_RELAXED);
  __atomic_store_n(&own->frame_before, 0UL, __ATOMIC_RELAXED);
  own->blocked.store(0, std::memory_order_relaxed);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&own->word, 0UL, __ATOMIC_RELEASE);
  ++repaired;
  return false;
}

Left leave_to_block(std::uintptr_t frame) {
  if (!own || (own->word & kNesting) != 1)
    return Left::not_at_all;
  // The frame of a direct call is the address of its return address.
  if (own->frame != (own->place == 0 ? frame - sizeof(void *) : frame))
    return Left::not_at_all;
  return leave_to_wait();
}

Left leave_to_wait() {
  if (!own || (own->word & kNesting) != 1)
    return Left::not_at_all;
  own->blocked_since.store(stamp(), std::memory_order_release);
  own->blocked.store(own->word, std::memory_order_release);
  const unsigned long now = __atomic_load_n(&detail::epoch.now, __ATOMIC_ACQUIRE);
  return epoch_of(now) == epoch_of(own->word) ? Left::in_good_time : Left::late;
}

void come_back() {
  own->blocked.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool is_inside_handler(pid_t thread) {
  bool found = false;
  for_each_record([&](const Record &record) {
    found = found || (record.owner.load(std::memory_order_relaxed) == thread &&
                      (__atomic_load_n(&record.word, __ATOMIC_ACQUIRE) & kNesting) != 0);
  });
  return found;
}

std::uint64_t sections_repaired() { return repaired; }

bool has_membarrier() { return setup.has_membarrier; }

// This library accesses it by the initial-exec model, so its offset is fixed by the dynamic linker.
std::ptrdiff_t direct_reader_offset() {
  const auto *here = reinterpret_cast<const char *>(&direct_reader);
  return here - static_cast<const char *>(__builtin_thread_pointer());
}

OpenSections::OpenSections() : reader_(my_record()) {}

void OpenSections::restore() const {
  Record &mine = my_record();
  mine.blocked.store(0, std::memory_order_relaxed);
  __atomic_store_n(&mine.frame, reader_.frame, __ATOMIC_RELAXED);
  __atomic_store_n(&mine.frame_before, reader_.frame_before, __ATOMIC_RELAXED);
  __atomic_store_n(&mine.place, reader_.place, __ATOMIC_RELAXED);
  __atomic_store_n(&mine.word, reader_.word, __ATOMIC_RELEASE);
}

void forget_other_readers() {
  if (setup.has_membarrier)
    (void)ask_for_membarrier();
  const pid_t me = gettid();
  for_each_record([&](Record &record) {
    if (&record == own) {
      record.owner.store(me, std::memory_order_relaxed);
    } else {
      __atomic_store_n(&record.word, 0UL, __ATOMIC_RELAXED);
      record.owner.store(0, std::memory_order_relaxed);
    }
  });
}

} // namespace sartor::base

namespace sartor::detail {

Reader *enter(unsigned long frame, unsigned long place) noexcept {
  base::Record &record = base::my_record();
  if ((record.word & kNesting) == 0) {
    base::begin_outermost(record, frame, place);
  } else if (!base::is_own_stack(record, frame)) {
    // On a fiber's or a signal stack, it is unknown if the section ends before the sections around
    // it.
    if (record.place == 0 && record.frame != kUnknownFrame)
      __atomic_store_n(&record.frame_before, record.frame, __ATOMIC_RELAXED);
    __atomic_store_n(&record.frame, kUnknownFrame, __ATOMIC_RELAXED);
    __atomic_store_n(&record.word, record.word + 1, __ATOMIC_RELAXED);
  } else if (base::was_jumped_out_of(record, frame)) {
    base::begin_outermost(record, frame, place);
    ++base::repaired;
  } else {
    __atomic_store_n(&record.word, record.word + 1, __ATOMIC_RELAXED);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return reader;
}

void leave() noexcept {
  base::Record &record = *base::own;
  const unsigned long word = record.word - 1;
  if ((word & kNesting) == 0)
    __atomic_store_n(&record.frame, kUnknownFrame, __ATOMIC_RELAXED);
  __atomic_store_n(&record.word, word, __ATOMIC_RELEASE);
  if ((word & kNesting) == 0)
    base::after_call();
}

} // namespace sartor::detail

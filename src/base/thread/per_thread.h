// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_THREAD_PER_THREAD_H
#define SARTOR_BASE_THREAD_PER_THREAD_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <pthread.h>

#include "base/map_pages.h"
#include "base/pages.h"
#include "base/thread/mutex.h"

namespace sartor::base {

/// The part of a block that PerThread uses.
template <class Block> class ThreadBlock {
public:
  std::atomic<void *> owner{nullptr}; ///< The table of the owning thread; null while none owns it.
  Block *following = nullptr;         ///< Next block in the list; never changes.

private:
  ThreadBlock() = default;
  friend Block;
};

/// Maximum number of kinds of blocks at once.
constexpr unsigned kMostPerThread = 256;

/// Blocks of memory, one for each thread that uses them: created at the first use, reused by
/// another thread when the owner ends, destroyed with this object. Code that knows the thread
/// pointer finds a thread's block in a table at a fixed distance from it. The first use may be in a
/// signal handler: blocks are pages, and nothing is locked.
///
/// A Block is a ThreadBlock<Block>; shown() is its value in the table, of() its inverse, bytes()
/// its allocated size, and leave() is called when its thread ends.
template <class Block> class PerThread {
public:
  static constexpr unsigned kMost = kMostPerThread;

  /// Nothing if there are too many.
  static std::unique_ptr<PerThread> create() {
    (void)thread_end(); // created here, not in a call of a handler
    const std::scoped_lock lock(registry().mutex);
    auto &users = registry().users;
    const auto free = std::ranges::find(users, nullptr);
    if (free == users.end())
      return nullptr;
    std::unique_ptr<PerThread> made(new PerThread(static_cast<unsigned>(free - users.begin())));
    *free = made.get();
    return made;
  }
  /// No thread may use it any more.
  ~PerThread() {
    const std::scoped_lock lock(registry().mutex);
    registry().users[slot_] = nullptr;
    for (Block *block = newest_; block;) {
      if (auto *table = static_cast<Table *>(block->owner.load()))
        table->blocks[slot_].store(nullptr);
      Block *gone = std::exchange(block, block->following);
      const std::size_t bytes = gone->bytes();
      gone->~Block();
      release(gone, bytes);
    }
  }
  PerThread(const PerThread &) = delete;
  PerThread &operator=(const PerThread &) = delete;

  /// The index in the table.
  [[nodiscard]] unsigned slot() const { return slot_; }
  /// The distance from the thread pointer to a pointer to the thread's table: an array of pointers,
  /// null where the thread has no block yet.
  static std::ptrdiff_t table_offset() {
    return reinterpret_cast<const char *>(&current) -
           static_cast<const char *>(__builtin_thread_pointer());
  }
  /// The calling thread's table; never null.
  static void *const *table() { return reinterpret_cast<void *const *>(current->blocks.data()); }

  /// The thread's block; null if it has none.
  [[nodiscard]] Block *mine() const {
    void *shown = current->blocks[slot_].load(std::memory_order_acquire);
    return shown ? Block::of(shown) : nullptr;
  }

  /// Returns a block for this thread, which has none in its table: one without an owner; one that
  /// was taken from it and is `idle`; or a new one, which `make` makes or returns null. Null
  /// without memory.
  template <class Idle, class Make> Block *acquire(Idle idle, Make make) {
    const NoSignals quiet;
    if (!has_table())
      return nullptr;
    Block *mine = nullptr;
    for_each([&](Block &block) {
      void *owner = nullptr;
      if (!mine && (block.owner.compare_exchange_strong(owner, current) ||
                    (owner == current && idle(block))))
        mine = &block;
    });
    if (!mine) {
      mine = make();
      if (!mine)
        return nullptr;
      mine->owner.store(current, std::memory_order_relaxed);
      mine->following = newest_.load(std::memory_order_relaxed);
      while (!newest_.compare_exchange_weak(mine->following, mine, std::memory_order_release))
        ;
    }
    return mine;
  }

  /// Puts an acquired block into the table.
  void show(Block &block) { current->blocks[slot_].store(block.shown()); }

  /// Visits all blocks; new ones may be added meanwhile.
  template <class Body> void for_each(Body body) const {
    for (Block *block = newest_.load(std::memory_order_acquire); block; block = block->following)
      body(*block);
  }

  /// Takes all blocks from their threads, which acquire others. `mark` is called for each block
  /// before.
  template <class Mark> void take_all(Mark mark) {
    const std::scoped_lock lock(registry().mutex); // no thread ends meanwhile
    for_each([&](Block &block) {
      mark(block);
      if (auto *table = static_cast<Table *>(block.owner.load()))
        table->blocks[slot_].store(nullptr);
    });
  }

private:
  struct Table {
    std::array<std::atomic<void *>, kMost> blocks;
  };
  /// The lock is also held while blocks are taken from threads, and while threads end.
  struct Registry {
    Mutex mutex;
    std::array<PerThread *, kMost> users{};
  };

  explicit PerThread(unsigned slot) : slot_(slot) {}

  static Registry &registry() {
    static auto *instance = new Registry; // never destroyed: threads may end after static objects
    return *instance;
  }

  // A key's destructor is run again if a handler is called from another key's destructor; that of a
  // C++ thread_local object would not be.
  static pthread_key_t thread_end() {
    static const pthread_key_t key = [] {
      pthread_key_t made{};
      if (pthread_key_create(&made, &PerThread::end) != 0)
        throw std::bad_alloc();
      return made;
    }();
    return key;
  }

  static bool has_table() {
    if (current != &nothing)
      return true;
    void *memory = base::map_pages(sizeof(Table));
    if (!memory)
      return false;
    if (pthread_setspecific(thread_end(), memory) != 0) {
      release(memory, sizeof(Table));
      return false;
    }
    current = new (memory) Table{};
    return true;
  }

  // Called when the owner of a table ends.
  static void end(void *table) {
    current = &nothing;
    {
      const std::scoped_lock lock(registry().mutex);
      for (const PerThread *user : registry().users)
        if (user)
          user->for_each([&](Block &block) {
            if (block.owner.load(std::memory_order_relaxed) != table)
              return;
            block.leave();
            block.owner.store(nullptr, std::memory_order_release);
          });
    }
    static_cast<Table *>(table)->~Table();
    release(table, sizeof(Table));
  }

  /// The table of threads that have no table yet.
  constinit static inline Table nothing{};
  [[gnu::tls_model("initial-exec")]] constinit static inline thread_local Table *current = &nothing;

  const unsigned slot_;
  alignas(64) std::atomic<Block *> newest_{nullptr};
};

} // namespace sartor::base

#endif

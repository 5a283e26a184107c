// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_REGISTRY_H
#define SARTOR_INVARIANT_REGISTRY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "engine/mutex.h"
#include "observe/result.h"
#include "specialize/context.h"

namespace sartor::invariant {

/// Whoever has code that leans on promises.
class Dependent {
public:
  virtual ~Dependent() = default;
  /// Takes out of force, and forgets, all code that leans on any of these promises. Threads may
  /// still be inside when this returns.
  virtual void take_out(std::span<const std::uint64_t> promises) = 0;
};

/// All promises about memory that hold in this process, by number. Numbers are never used again.
/// Thread-safe.
class Registry {
public:
  static Registry &instance();

  /// Fails with bad_invariant.
  Result<std::uint64_t> promise(const void *memory, std::size_t size);

  /// Takes promises back, and has every dependent take out what leans on them. Does not wait for
  /// threads that are inside.
  void withdraw(std::span<const std::uint64_t> promises);

  [[nodiscard]] bool hold(std::span<const std::uint64_t> promises) const;

  /// The promised memory that contains one of `roots`, and what can be reached from there by
  /// pointers, sorted by address, without overlaps. Bytes are copied the first time that they are
  /// asked for. Fails with unreadable_memory.
  Result<std::vector<specialize::Region>> reachable(std::span<const std::uintptr_t> roots);

  /// Not with a lock held that take_out() takes.
  void add(Dependent &dependent);
  void remove(Dependent &dependent);

private:
  struct Promise {
    std::uintptr_t address;
    std::size_t size;
    std::shared_ptr<const std::string> bytes;
  };
  using Found = std::map<std::uint64_t, const Promise *>;

  /// Those that contain an address, by number.
  Found containing(std::uintptr_t address);

  mutable engine::Mutex mutex_;
  std::map<std::uint64_t, Promise> promises_;
  std::multimap<std::uintptr_t, std::uint64_t> by_address_;
  std::size_t largest_ = 0; ///< No promise that ever held is larger, in bytes.
  std::uint64_t last_ = 0;

  engine::Mutex dependents_mutex_; ///< Held while dependents are told.
  std::set<Dependent *> dependents_;
};

} // namespace sartor::invariant

#endif

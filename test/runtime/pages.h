// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_PAGES_H
#define SARTOR_TEST_RUNTIME_PAGES_H

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "failing.h"
#include "handlers/files.h"
#include "logged.h"

/// The part of userfaultfd that refuse_userfaultfd.cpp allows.
inline std::string allowed() {
  const char *said = std::getenv("SARTOR_TEST_USERFAULTFD");
  return said ? said : "all";
}
inline bool system_calls_are_seen() { return allowed() == "all"; }
inline bool is_by_signal() { return allowed() == "none"; }

inline std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// A file on a page of its own.
class OwnPage {
public:
  explicit OwnPage(int kind = MAP_PRIVATE)
      : memory_(mmap(nullptr, page_size(), PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0)) {
    new (memory_) File{0, 0, 0, 4096};
  }
  ~OwnPage() { munmap(memory_, page_size()); }
  OwnPage(const OwnPage &) = delete;
  OwnPage &operator=(const OwnPage &) = delete;

  File &operator*() const { return *static_cast<File *>(memory_); }
  File *operator->() const { return static_cast<File *>(memory_); }
  /// An object on the same page.
  template <class T> T &neighbour() const {
    return *reinterpret_cast<T *>(static_cast<char *>(memory_) + page_size() / 2);
  }

private:
  void *memory_;
};

/// Writes without a guard, as code that does not know of quasi-invariants.
inline void store(std::uint64_t &to, std::uint64_t value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

inline sartor::QuasiInvariantOptions protecting() {
  sartor::QuasiInvariantOptions options;
  options.protect_pages = true;
  options.back_off = std::chrono::milliseconds(1);
  options.longest_back_off = std::chrono::milliseconds(4);
  return options;
}

inline sartor::QuasiInvariant shared_of(const File &file,
                                        sartor::QuasiInvariantOptions options = protecting()) {
  sartor::QuasiInvariant quasi_invariant("shared", std::move(options));
  quasi_invariant.add_fields(file, &File::shared);
  return quasi_invariant;
}

template <class Read> bool shared_is_folded(const Read &read) {
  return (read(nullptr) & kSharedIsFolded) != 0;
}
template <class Read> std::uint64_t shared_by(const Read &read) {
  return read([](File *) {}) / 1'000;
}

/// The program's allocator (pages_allocator.cpp) takes this lock for each allocation.
extern std::mutex allocator_lock;
#if __has_feature(thread_sanitizer)
#define SARTOR_TEST_OTHERS_ALLOCATOR // the sanitizer's allocator cannot be replaced
#endif

class Pages : public Logged {
protected:
  /// True if a writer had to continue before the invalidation, which the log of the test's runtime
  /// has. Sartor lets a writer wait for a second. If the machine stops, it may take longer.
  [[nodiscard]] bool is_late() const {
    return comes_true([&] { return log().contains("quasi_invariant_invalidated_late"); });
  }
  /// True if the condition holds; after a late invalidation, if it comes true.
  [[nodiscard]] bool holds(const std::function<bool()> &condition) const {
    return condition() || (is_late() && comes_true(condition));
  }

  OwnPage file_;
};

#endif

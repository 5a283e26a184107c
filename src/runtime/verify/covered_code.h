// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_COVERED_CODE_H
#define SARTOR_RUNTIME_VERIFY_COVERED_CODE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/thread/mutex.h"

namespace sartor::runtime {

/// Where crash markers are written: complete paths, because a signal handler cannot make any.
struct MarkerFolder {
  std::string path;
  std::vector<std::string> directories; ///< Those above it and itself, outermost first.
};

/// A marker that is written if code crashes.
struct Marker {
  const MarkerFolder *folder = nullptr;
  std::string key;
  std::string text; ///< A JSON object without the brace and the members that a crash adds.
};

/// Markers by addresses of code. find() may be called in a signal handler, while other threads
/// change the table: entries are never freed, and the one of code that a thread runs never changes.
class CoveredCode {
public:
  static CoveredCode &instance();

  void add(std::uintptr_t begin, std::size_t bytes, Marker marker);
  /// No thread may run the code.
  void remove(std::uintptr_t begin);
  /// Null if the address is in no such code.
  [[nodiscard]] const Marker *find(std::uintptr_t address) const;

private:
  struct Entry {
    std::atomic<std::uintptr_t> begin = 0; ///< 0: unused.
    std::atomic<std::size_t> bytes = 0;
    Marker marker;
  };
  static constexpr std::size_t kInChunk = 256;
  struct Chunk {
    std::array<Entry, kInChunk> entries;
    Chunk *next = nullptr;
  };

  std::atomic<Chunk *> chunks_ = nullptr;
  base::Mutex mutex_; ///< Guards changes, and the following members.
  std::unordered_map<std::uintptr_t, Entry *> by_begin_;
  std::vector<Entry *> unused_;
};

} // namespace sartor::runtime

#endif

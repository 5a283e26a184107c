// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PLANNER_CACHE_PLACE_H
#define SARTOR_LOADER_PLANNER_CACHE_PLACE_H

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace sartor::planner {

/// The cache directory while an image is written to it.
class CachePlace {
public:
  /// `image`: the final path. Creates the directory if it does not exist. Fails with file_error if
  /// the directory is not writable.
  static Result<CachePlace> open(const std::filesystem::path &image);
  CachePlace(CachePlace &&other) noexcept;
  CachePlace &operator=(CachePlace &&) = delete;
  ~CachePlace();

  /// Makes this process the only one that writes the image of a key. Returns false if another
  /// process does; if `waits`, only after that process has ended.
  bool lock(std::uint64_t key, bool waits);
  /// True if programs can be mapped from this directory.
  [[nodiscard]] bool is_executable() const;
  /// Deletes leftovers, and the least recently used images if there are too many. Processes that
  /// have mapped an image keep it.
  void trim() const;

private:
  CachePlace(std::filesystem::path directory, int file)
      : directory_(std::move(directory)), lock_(file) {}

  std::filesystem::path directory_;
  int lock_; ///< A file in which each key has one byte to lock.
};

} // namespace sartor::planner

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PLANNER_CACHE_PLACE_H
#define SARTOR_LOADER_PLANNER_CACHE_PLACE_H

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace sartor::planner {

/// Where images are kept, while one of them is made.
class CachePlace {
public:
  /// `image`: where it will be. The directory is made if it is not there. Fails with file_error if
  /// nothing can be written there.
  static Result<CachePlace> open(const std::filesystem::path &image);
  CachePlace(CachePlace &&other) noexcept;
  CachePlace &operator=(CachePlace &&) = delete;
  ~CachePlace();

  /// Has this process be the only one that makes the image of a key. False if another one does; if
  /// `waits`, then not before that one has ended.
  bool lock(std::uint64_t key, bool waits);
  /// Whether programs can be mapped from there.
  [[nodiscard]] bool is_executable() const;
  /// Deletes what was left behind, and what has not been used for longest if there is too much. Who
  /// has mapped an image keeps it.
  void trim() const;

private:
  CachePlace(std::filesystem::path directory, int file)
      : directory_(std::move(directory)), lock_(file) {}

  std::filesystem::path directory_;
  int lock_; ///< A file of which each key has a byte to lock.
};

} // namespace sartor::planner

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_RECENT_IMAGES_H
#define SARTOR_CORE_CACHE_RECENT_IMAGES_H

#include <cstddef>
#include <list>
#include <map>
#include <memory>

#include "base/hash.h"
#include "base/mutex.h"
#include "core/image/image.h"

namespace sartor::core {

/// Images that this process has made or loaded, to be placed again with other addresses in them:
/// objects that are alike share one. Least recently used ones are dropped first. Thread-safe.
class RecentImages {
public:
  /// Keeps images of up to `capacity` bytes of code and data.
  explicit RecentImages(std::size_t capacity) : capacity_(capacity) {}

  /// Null if there is none.
  std::shared_ptr<const Image> find(const base::ContentKey &key);
  /// Drops others, or leaves it, where it does not fit.
  void insert(const base::ContentKey &key, Image image);

private:
  struct Slot {
    base::ContentKey key;
    std::shared_ptr<const Image> image;
  };

  const std::size_t capacity_;
  base::Mutex mutex_;     ///< Guards what follows.
  std::list<Slot> slots_; ///< Most recently used first.
  std::map<base::ContentKey, std::list<Slot>::iterator> index_;
  std::size_t bytes_ = 0;
};

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STORE_RECENT_IMAGES_H
#define SARTOR_STORE_RECENT_IMAGES_H

#include <cstddef>
#include <list>
#include <map>
#include <memory>

#include "engine/mutex.h"
#include "image/image.h"
#include "store/hash.h"

namespace sartor::store {

/// Images that this process has made or loaded, to be placed again with other addresses in them:
/// objects that are alike share one. Least recently used ones are dropped first. Thread-safe.
class RecentImages {
public:
  /// Keeps images of up to `capacity` bytes of code and data.
  explicit RecentImages(std::size_t capacity) : capacity_(capacity) {}

  /// Null if there is none.
  std::shared_ptr<const image::Image> find(const ContentKey &key);
  /// Drops others, or leaves it, where it does not fit.
  void insert(const ContentKey &key, image::Image image);

private:
  struct Slot {
    ContentKey key;
    std::shared_ptr<const image::Image> image;
  };

  const std::size_t capacity_;
  engine::Mutex mutex_;   ///< Guards what follows.
  std::list<Slot> slots_; ///< Most recently used first.
  std::map<ContentKey, std::list<Slot>::iterator> index_;
  std::size_t bytes_ = 0;
};

} // namespace sartor::store

#endif

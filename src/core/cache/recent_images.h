// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_RECENT_IMAGES_H
#define SARTOR_CORE_CACHE_RECENT_IMAGES_H

#include <cstddef>
#include <list>
#include <map>
#include <memory>

#include "base/hash.h"
#include "base/thread/mutex.h"
#include "core/image/code_image.h"

namespace sartor::core {

/// Images that this process has made or loaded, to be placed again with other addresses: similar
/// objects share one. The least recently used are dropped first. Thread-safe.
class RecentImages {
public:
  /// Keeps images of about `capacity` bytes, with their debug information.
  explicit RecentImages(std::size_t capacity) : capacity_(capacity) {}

  /// Null if there is none.
  std::shared_ptr<const CodeImage> find(const base::ContentKey &key);
  /// Inserts an image, dropping others; does nothing if it does not fit.
  void insert(const base::ContentKey &key, CodeImage image);

private:
  struct Slot {
    base::ContentKey key;
    std::shared_ptr<const CodeImage> image;
  };

  const std::size_t capacity_;
  base::Mutex mutex_;     ///< Guards the members below.
  std::list<Slot> slots_; ///< Most recently used first.
  std::map<base::ContentKey, std::list<Slot>::iterator> index_;
  std::size_t bytes_ = 0;
};

} // namespace sartor::core

#endif

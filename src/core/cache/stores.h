// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_STORES_H
#define SARTOR_CORE_CACHE_STORES_H

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "core/cache/ahead_of_time.h"
#include "core/cache/code_origin.h"
#include "core/cache/disk_cache.h"
#include "core/cache/recent_images.h"
#include "core/cache/shared_cache.h"

namespace sartor::core {

/// The caches that may have images for requests. A value type; thread-safe.
struct Stores {
  std::shared_ptr<const AheadOfTimeImages>
      ahead_of_time;                    ///< The program's own images; may be null.
  std::shared_ptr<DiskCache> disk;      ///< May be null.
  std::shared_ptr<SharedCache> shared;  ///< May be null.
  std::shared_ptr<RecentImages> recent; ///< May be null. Not searched by find().

  [[nodiscard]] bool empty() const { return !ahead_of_time && keep_nothing(); }
  /// True if new images are not stored.
  [[nodiscard]] bool keep_nothing() const { return !disk && !shared; }

  /// Passes images that caches have under that key to `take` until it accepts one, and copies that
  /// image to faster caches. Returns its origin; nothing if there is none.
  std::optional<CodeOrigin> find(const base::ContentKey &key, const StoredInfo &info,
                                 const std::function<bool(std::string_view image)> &take);
  void insert(const base::ContentKey &key, const StoredInfo &info, std::string_view image);
};

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_STORES_H
#define SARTOR_CORE_CACHE_STORES_H

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "core/cache/beforehand.h"
#include "core/cache/code_origin.h"
#include "core/cache/disk_cache.h"
#include "core/cache/recent_images.h"
#include "core/cache/shared_cache.h"

namespace sartor::core {

/// Where images may be that answer requests. A value; thread-safe.
struct Stores {
  std::shared_ptr<const Beforehand> beforehand; ///< What the program carries; may be null.
  std::shared_ptr<DiskCache> disk;              ///< Likewise.
  std::shared_ptr<SharedCache> shared;          ///< Likewise.
  std::shared_ptr<RecentImages> recent;         ///< Likewise. Not asked by find().

  [[nodiscard]] bool empty() const { return !beforehand && keep_nothing(); }
  /// Whether nothing is kept that is made from now on.
  [[nodiscard]] bool keep_nothing() const { return !disk && !shared; }

  /// Shows `take` what lies in caches under that key until it can make use of it, and puts that
  /// where it will be nearer. Where it was; nothing if there is none.
  std::optional<CodeOrigin> find(const base::ContentKey &key, const StoredInfo &info,
                                 const std::function<bool(std::string_view image)> &take);
  void insert(const base::ContentKey &key, const StoredInfo &info, std::string_view image);
};

} // namespace sartor::core

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STORE_STORES_H
#define SARTOR_STORE_STORES_H

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "place/code.h"
#include "store/beforehand.h"
#include "store/disk_cache.h"
#include "store/recent_images.h"
#include "store/shared_cache.h"

namespace sartor::store {

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
  std::optional<place::CodeOrigin> find(const ContentKey &key, const StoredInfo &info,
                                        const std::function<bool(std::string_view image)> &take);
  void insert(const ContentKey &key, const StoredInfo &info, std::string_view image);
};

} // namespace sartor::store

#endif

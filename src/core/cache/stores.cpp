// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/stores.h"

namespace sartor::core {

std::optional<CodeOrigin> Stores::find(const base::ContentKey &key, const StoredInfo &info,
                                       const std::function<bool(std::string_view image)> &take) {
  if (const auto image = disk ? disk->find(key) : std::nullopt; image && take(*image))
    return CodeOrigin::disk;
  const auto image = shared ? shared->find(key) : std::nullopt;
  if (!image || !take(*image))
    return std::nullopt;
  if (disk)
    disk->insert(key, info, *image);
  return CodeOrigin::shared;
}

void Stores::insert(const base::ContentKey &key, const StoredInfo &info, std::string_view image) {
  if (disk)
    disk->insert(key, info, image);
  if (shared)
    shared->insert(key, info, image);
}

} // namespace sartor::core

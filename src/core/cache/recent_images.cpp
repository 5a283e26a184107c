// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/recent_images.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace sartor::core {

namespace {

/// About the memory that an image takes.
std::size_t bytes_of(const CodeImage &image) {
  std::size_t bytes =
      sizeof image + image.code.size() + image.data.size() + image.fills.size() * sizeof(Fill);
  for (const Symbol &each : image.symbols)
    bytes += sizeof each + each.name.size();
  for (const Function &each : image.functions)
    bytes += sizeof each + each.name.size();
  for (const DebugSection &each : image.debug)
    bytes += sizeof each + each.content.size() + each.addresses.size() * sizeof(std::uint32_t);
  return bytes;
}

} // namespace

std::shared_ptr<const CodeImage> RecentImages::find(const base::ContentKey &key) {
  const std::lock_guard lock(mutex_);
  const auto known = index_.find(key);
  if (known == index_.end())
    return nullptr;
  slots_.splice(slots_.begin(), slots_, known->second);
  return known->second->image;
}

void RecentImages::insert(const base::ContentKey &key, CodeImage image) {
  const std::size_t bytes = bytes_of(image);
  if (bytes > capacity_)
    return;
  auto kept = std::make_shared<const CodeImage>(std::move(image));
  const std::lock_guard lock(mutex_);
  if (index_.contains(key))
    return;
  while (bytes_ + bytes > capacity_) {
    bytes_ -= bytes_of(*slots_.back().image);
    index_.erase(slots_.back().key);
    slots_.pop_back();
  }
  slots_.push_front({key, std::move(kept)});
  index_.emplace(key, slots_.begin());
  bytes_ += bytes;
}

} // namespace sartor::core

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/recent_images.h"

#include <string>

#include <gtest/gtest.h>

#include "fuzz/image_input.h"

namespace sartor::core {
namespace {

base::ContentKey key_of(std::string_view text) { return base::hash_of({text}); }

CodeImage image_with_debug(std::size_t bytes) {
  CodeImage image = some_image();
  image.debug.front().content.resize(bytes);
  return image;
}

TEST(RecentImages, DropTheLeastRecentlyUsed) {
  RecentImages images(3 << 15);
  for (const char *key : {"a", "b"})
    images.insert(key_of(key), image_with_debug(1 << 15));
  EXPECT_TRUE(images.find(key_of("a")));
  images.insert(key_of("c"), image_with_debug(1 << 15));
  EXPECT_TRUE(images.find(key_of("a")));
  EXPECT_FALSE(images.find(key_of("b"))); // debug information counts
  EXPECT_TRUE(images.find(key_of("c")));
}

TEST(RecentImages, DoNotKeepWhatDoesNotFit) {
  RecentImages images(1 << 15);
  images.insert(key_of("a"), some_image());
  images.insert(key_of("b"), image_with_debug(1 << 15));
  EXPECT_TRUE(images.find(key_of("a")));
  EXPECT_FALSE(images.find(key_of("b")));
}

} // namespace
} // namespace sartor::core

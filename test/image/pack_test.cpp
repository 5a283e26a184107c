// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/image/pack.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/image_input.h"

namespace sartor::core {
namespace {

TEST(PackTest, UnpacksWhatItPacks) {
  const CodeImage image = some_image();
  const auto again = unpack_image(pack_image(image));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, image);
}

TEST(PackTest, PacksTheSameEachTime) {
  EXPECT_EQ(pack_image(some_image()), pack_image(some_image()));
}

TEST(PackTest, RefusesWhatIsCutOff) {
  const std::string bytes = pack_image(some_image());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = unpack_image(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code, ErrorCode::file_error);
  }
  EXPECT_FALSE(unpack_image(bytes + "x"));
}

TEST(PackTest, KeepsWhatIsDamagedWithinItsBounds) {
  const std::string bytes = pack_image(some_image());
  std::mt19937 random(3);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int i = 0; i < 8; ++i) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(random());
      (void)look_at_image(damaged);
    }
}

struct Wrong {
  const char *what;
  void (*spoil)(CodeImage &);
};

class PackWrongTest : public testing::TestWithParam<Wrong> {};

TEST_P(PackWrongTest, IsRefused) {
  CodeImage image = some_image();
  GetParam().spoil(image);
  const auto read = unpack_image(pack_image(image));
  ASSERT_FALSE(read) << GetParam().what;
  EXPECT_THAT(read.error().text(), testing::HasSubstr("image"));
}

INSTANTIATE_TEST_SUITE_P(
    Images, PackWrongTest,
    testing::Values(
        Wrong{"entry", [](CodeImage &image) { image.entry = image.code.size(); }},
        Wrong{"no code",
              [](CodeImage &image) {
                image.code.clear();
                image.unwind = image.unwind_bytes = image.entry = 0;
                image.fills.clear();
                image.functions.clear();
              }},
        Wrong{"alignment", [](CodeImage &image) { image.alignment = 48; }},
        Wrong{"large alignment", [](CodeImage &image) { image.alignment = 8192; }},
        Wrong{"much zeroed", [](CodeImage &image) { image.zeroed = 1ULL << 40U; }},
        Wrong{"section of another name", [](CodeImage &image) { image.debug[0].name = ".text"; }},
        Wrong{"section twice", [](CodeImage &image) { image.debug[1].name = image.debug[0].name; }},
        Wrong{"address behind a section",
              [](CodeImage &image) {
                image.debug[0].addresses = {
                    static_cast<std::uint32_t>(image.debug[0].content.size() - 7)};
              }},
        Wrong{"many sections",
              [](CodeImage &image) {
                for (int i = 0; i < 40; ++i)
                  image.debug.push_back({".debug_" + std::to_string(i), "", {}});
              }},
        Wrong{"unwind", [](CodeImage &image) { image.unwind = 65; }},
        Wrong{"unwind far", [](CodeImage &image) { image.unwind = ~0ULL; }},
        Wrong{"unwind without an end", [](CodeImage &image) { image.code.back() = 'x'; }},
        Wrong{"fill across the end", [](CodeImage &image) { image.fills[2].at = 80; }},
        Wrong{"fill behind data", [](CodeImage &image) { image.fills[3].at = 86; }},
        Wrong{"fill far", [](CodeImage &image) { image.fills[0].at = ~0ULL - 1; }},
        Wrong{"load at the start", [](CodeImage &image) { image.fills[4].at = 1; }},
        Wrong{"load in data", [](CodeImage &image) { image.fills[4].at = 85; }},
        Wrong{"load at the start of data", [](CodeImage &image) { image.fills[4].at = 84; }},
        Wrong{"symbol", [](CodeImage &image) { image.fills[0].symbol = 2; }},
        Wrong{"kind", [](CodeImage &image) { image.fills[0].kind = static_cast<FillKind>(4); }},
        Wrong{"function", [](CodeImage &image) { image.functions[0].bytes = 1000; }}));

} // namespace
} // namespace sartor::core

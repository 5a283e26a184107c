// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of the fuzzers, with some input that is the same each time.
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "fuzz/elf_input.h"
#include "fuzz/toml_input.h"
#include "loader/lib/file/elf_file.h"
#include "paths.h"

namespace sartor::loader {
namespace {

TEST(DamagedLibraries, AreRefusedOrLookedAtWithoutHarm) {
  std::mt19937_64 random(1);
  constexpr std::array<unsigned, 6> telling = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
  for (const std::string &path :
       std::vector<std::string>{paths::data_subject_packed(), paths::subject_plt()}) {
    const auto whole = ElfFile::open(path);
    ASSERT_TRUE(whole);
    std::array<int, 6> outcomes{};
    for (int round = 0; round < 4'000; ++round) {
      std::vector<std::byte> bytes(whole->bytes().begin(), whole->bytes().end());
      const std::size_t reach = round % 3 == 0 ? bytes.size() : bytes.size() / 4;
      for (int i = 0; i < 1 + round % 5; ++i)
        bytes[random() % reach] =
            static_cast<std::byte>(round % 2 == 0 ? random() % 256 : telling[random() % 6]);
      if (round % 50 == 0)
        bytes.resize(random() % bytes.size());
      ++outcomes.at(static_cast<std::size_t>(look_at_elf(std::move(bytes))));
    }
    EXPECT_GT(outcomes[0], 100) << "refused";
    EXPECT_GT(outcomes[5], 100) << "moved";
  }
}

TEST(DamagedLibraries, AreLookedAtToTheEndWhenWhole) {
  for (const std::string &path :
       std::vector<std::string>{paths::data_subject_packed(), paths::subject_plt()}) {
    const auto whole = ElfFile::open(path);
    ASSERT_TRUE(whole);
    EXPECT_EQ(look_at_elf({whole->bytes().begin(), whole->bytes().end()}), 5);
  }
}

TEST(DamagedSettings, AreRefusedOrTheSameWhenTheyAreWrittenAgain) {
  const std::string whole = "passes = [\"bind\", 'concat'] # which\nstrict = false\n[pass.no-wx]\n"
                            "report-only = true\nmost = -7\n[application.\"/x\".pass.bind]\n"
                            "only.\"a b\" = \"l\\u00e9\\n\"\n";
  EXPECT_TRUE(base::look_at_toml(whole));
  std::mt19937_64 random(1);
  constexpr std::string_view telling = "\"'[]=.,#\\\n\0 u1-ae";
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole;
    for (int i = 0; i < 1 + round % 4; ++i)
      text[random() % text.size()] = telling[random() % telling.size()];
    taken += base::look_at_toml(text) ? 1 : 0;
  }
  EXPECT_GT(taken, 1000);
}

} // namespace
} // namespace sartor::loader

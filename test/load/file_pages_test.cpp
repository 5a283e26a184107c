// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/file_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loader/lib/file/library_memory.h"
#include "made_elf.h"

namespace sartor::loader {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t page = 4096;

/// A file with one read-only segment, and its memory.
class FilePagesTest : public testing::Test {
protected:
  void make(std::uint64_t size, std::uint32_t flags) {
    auto parsed = ElfFile::parse("made up", made_elf({{0x10000, size, size, flags}}));
    ASSERT_TRUE(parsed) << parsed.error().text();
    file.emplace(std::move(*parsed));
    auto memory = LibraryMemory::of(*file);
    ASSERT_TRUE(memory) << memory.error();
    content = std::move(memory->readonly);
  }
  void change(std::uint64_t index) { content[index * page + 17] = std::byte{1}; }
  /// The pages from `begin` to `end`.
  static FilePages pages(std::uint64_t begin, std::uint64_t end, bool is_changed) {
    return {0x10000 + begin * page, 0x10000 + end * page, begin * page, is_changed};
  }
  [[nodiscard]] std::vector<FilePages> compared() const {
    return compare_with_file(*file, file->segments().front(), content);
  }

  std::optional<ElfFile> file;
  std::vector<std::byte> content;
};

TEST_F(FilePagesTest, AreOneRunIfNothingIsChanged) {
  make(40 * page, PF_R | PF_X);
  EXPECT_THAT(compared(), ElementsAre(pages(0, 40, false)));
}

TEST_F(FilePagesTest, EndWithThePageOfTheFilesLastByte) {
  make(2 * page + 8, PF_R | PF_X);
  EXPECT_THAT(compared(), ElementsAre(pages(0, 3, false)));
}

TEST_F(FilePagesTest, LeaveEachUnchangedPageOfCodeToItsFile) {
  make(40 * page, PF_R | PF_X);
  change(3);
  change(5);
  EXPECT_THAT(compared(), ElementsAre(pages(0, 3, false), pages(3, 4, true), pages(4, 5, false),
                                      pages(5, 6, true), pages(6, 40, false)));
}

TEST_F(FilePagesTest, JoinChangedConstantsThatAreClose) {
  make(60 * page, PF_R);
  change(1);
  change(5);
  change(30);
  EXPECT_THAT(compared(), ElementsAre(pages(0, 1, false), pages(1, 6, true), pages(6, 30, false),
                                      pages(30, 31, true), pages(31, 60, false)));
}

} // namespace
} // namespace sartor::loader

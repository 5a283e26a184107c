// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/stock_loader.h"

#include "folder.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

#include "folder.h"
#include "loader/lib/image/image_file.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::Contains;
using testing::IsEmpty;

TEST(StockLoader, ListsTheLibrariesOfAProgram) {
  const auto list = list_libraries("/bin/ls");
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->found, Contains("/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_THAT(list->found, Contains(stock_loader));
  EXPECT_THAT(list->missing, IsEmpty());
}

TEST(StockLoader, HeedsPreloadedLibraries) {
  setenv("LD_PRELOAD", paths::subject_plt().c_str(), 1);
  const auto list = list_libraries("/bin/ls");
  unsetenv("LD_PRELOAD");
  ASSERT_TRUE(list) << list.error().text();
  ASSERT_FALSE(list->found.empty());
  EXPECT_EQ(list->found.front(), paths::subject_plt());
}

TEST(StockLoader, ListsLibrariesThatAreFoundFromTheWorkingDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(paths::subject_plt()).parent_path());
  setenv("LD_LIBRARY_PATH", ".", 1);
  const auto list = list_libraries(paths::load_program_alone());
  unsetenv("LD_LIBRARY_PATH");
  std::filesystem::current_path(before);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->found, Contains(paths::subject_plt()));
}

TEST(StockLoader, LibrariesBesideAProgramLieBesideItsFileNotBesideALinkToIt) {
  const Folder folder;
  const auto link = folder.path() / "link";
  std::filesystem::create_symlink(paths::load_program_beside(), link);
  const auto list = list_libraries(link);
  ASSERT_TRUE(list) << list.error().text();
  EXPECT_THAT(list->missing, IsEmpty());
}

TEST(StockLoader, WhatItDoesNotTakeIsAnErrorThatQuotesIt) {
  const auto list = list_libraries("/nowhere/program");
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::file_error);
  EXPECT_THAT(list.error().message, testing::HasSubstr("/nowhere/program"));
}

/// The stock loader's file with the names of some versions changed.
ElfFile loader_of(const std::string &version, const std::string &instead) {
  std::ifstream file(stock_loader, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (auto at = text.find(version); at != std::string::npos; at = text.find(version, at))
    text.replace(at, version.size(), instead);
  const auto *bytes = reinterpret_cast<const std::byte *>(text.data());
  auto loader = ElfFile::parse("made up", {bytes, bytes + text.size()});
  EXPECT_TRUE(loader) << loader.error().text();
  return std::move(*loader);
}

TEST(StockLoader, ThatWritesToAllDynamicSectionsIsReported) {
  EXPECT_TRUE(takes_readonly_dynamic_sections(loader_of("GLIBC_2.34", "GLIBC_2.33")));
  EXPECT_FALSE(takes_readonly_dynamic_sections(loader_of("GLIBC_2.35", "GLIBC_2.34")));
}

TEST(StockLoader, ThatIsTooOldHasNoImages) {
  auto image = bound_image_of(paths::load_program());
  ASSERT_TRUE(image) << image.error().text();
  for (Library &library : image->libraries)
    if (library.is_stock_loader)
      library.file = loader_of("GLIBC_2.35", "GLIBC_2.34");
  const Folder folder;
  const auto written = write_image(std::move(*image), {}, folder.path() / "image");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::bad_plan);
  EXPECT_THAT(written.error().message, testing::HasSubstr("glibc 2.35"));
}

} // namespace
} // namespace sartor::loader

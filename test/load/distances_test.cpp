// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries of all compilers and options, and of hand-written assembly: their data moves only if
// all distances to it are known. The linkers' recorded relocations are the reference.
#include "loader/lib/decode/distances.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "emitted_relocations.h"
#include "loader/lib/decode/data_references.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::filesystem::path> subjects(const std::string &beginning) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(paths::distance_subjects()))
    if (entry.path().extension() == ".so" &&
        entry.path().filename().string().starts_with(beginning))
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

struct Subject {
  explicit Subject(const std::filesystem::path &path)
      : file(ElfFile::open(path).value()), code(find_call_sites(file).value()),
        references(data_references(file, code)), crossing(EmittedRelocations(file).crossing()) {}

  /// Distances that are neither operands nor in unwind information and so cannot be changed.
  [[nodiscard]] std::set<std::uint64_t> unchangeable() const {
    std::set<std::uint64_t> places = crossing;
    for (const std::uint64_t place : code.data_references)
      places.erase(place);
    std::erase_if(places, [&](std::uint64_t place) {
      return is_in(".eh_frame", place) || is_in(".gcc_except_table", place);
    });
    return places;
  }
  [[nodiscard]] bool is_in(const char *name, std::uint64_t place) const {
    return std::ranges::any_of(file.sections(), [&](const Section &section) {
      return section.name == name && place >= section.address &&
             place < section.address + section.size;
    });
  }

  ElfFile file;
  Decoded code;
  Result<std::vector<std::uint64_t>> references;
  std::set<std::uint64_t> crossing;
};

/// Parts of a function have the same types in their tables, and do not use all of them.
void expect_known_or_in_doubt(const std::filesystem::path &path) {
  const Subject subject(path);
  const auto unchangeable = subject.unchangeable();
  if (!unchangeable.empty())
    EXPECT_FALSE(subject.references) << path << ": " << *unchangeable.begin();
  if (!subject.references)
    return;
  const std::set<std::uint64_t> found(subject.references->begin(), subject.references->end());
  for (const std::uint64_t place : subject.crossing)
    EXPECT_TRUE(found.contains(place) || subject.is_in(".gcc_except_table", place))
        << path << ": " << place;
}

TEST(Distances, OfCompilersAreAllKnownOrInDoubt) {
  std::size_t count = 0;
  for (const char *compiler : {"clang-", "gcc-"})
    for (const auto &path : subjects(compiler)) {
      ++count;
      expect_known_or_in_doubt(path);
    }
  EXPECT_GE(count, 30U);
}

TEST(Distances, OfPeopleAreInDoubt) {
  const auto paths = subjects("distance-");
  EXPECT_GE(paths.size(), 45U);
  for (const auto &path : paths) {
    const Subject subject(path);
    EXPECT_FALSE(subject.unchangeable().empty()) << path;
    ASSERT_FALSE(subject.references) << path;
    EXPECT_EQ(subject.references.error().code, ErrorCode::bad_plan);
    EXPECT_THAT(subject.references.error().message,
                testing::AnyOf(StartsWith("it may have a table of distances at 0x"),
                               StartsWith("code of the large model at 0x"),
                               StartsWith("code refers into other code at 0x"),
                               StartsWith("code may compute where data is, from 0x")));
  }
}

TEST(Distances, AreNotSeenWhereThereAreNone) {
  std::vector<std::filesystem::path> paths = subjects("harmless-");
  for (const char *compiler : {"clang-", "gcc-"})
    for (const char *what : {"tables-O0", "tables-no-jump-tables", "classes-O", "data-O"})
      std::ranges::copy(subjects(std::string(compiler) + what), std::back_inserter(paths));
  // Some of clang's tables are in doubt: see the next test.
  std::ranges::copy(subjects("gcc-tables-O"), std::back_inserter(paths));
  EXPECT_GE(paths.size(), 20U);
  for (const auto &path : paths) {
    const Subject subject(path);
    if (subject.unchangeable().empty())
      EXPECT_TRUE(subject.references) << path << ": " << subject.references.error().text();
  }
}

TEST(Distances, InTablesOfClangAndInRelativeVirtualTablesAreInDoubt) {
  const Subject chosen(paths::distance_subjects() + "/clang-tables-O2.so");
  EXPECT_FALSE(chosen.unchangeable().empty());
  ASSERT_FALSE(chosen.references);
  EXPECT_THAT(chosen.references.error().message, HasSubstr("a table of distances"));
  for (const auto &path : subjects("clang-relative-classes-")) {
    const Subject classes(path);
    EXPECT_FALSE(classes.unchangeable().empty()) << path;
    ASSERT_FALSE(classes.references) << path;
    EXPECT_THAT(classes.references.error().message, HasSubstr("a relative virtual table at 0x"));
  }
}

TEST(Distances, InLibrariesOfDebianAreNone) {
  for (const char *path : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6",
                           "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"}) {
    const auto file = ElfFile::open(path);
    ASSERT_TRUE(file);
    const auto code = find_call_sites(*file);
    ASSERT_TRUE(code);
    EXPECT_EQ(doubt_about_distances(*file, *code), "") << path;
  }
}

} // namespace
} // namespace sartor::loader

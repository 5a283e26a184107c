// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/stock_process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include "folder.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/stock/stock_loader.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::HasSubstr;

TEST(StockProcess, ListsTheProgramThenItsLibrariesAsTheyAreSearched) {
  const auto process = StockProcess::start(paths::load_program());
  ASSERT_TRUE(process) << process.error().text();
  ASSERT_FALSE(process->libraries().empty());
  EXPECT_EQ(process->libraries().front().path, "");
  std::vector<std::string> paths;
  for (const Placed &placed : process->libraries())
    if (placed.path.contains('/'))
      paths.push_back(placed.path);
  const auto list = list_libraries(paths::load_program());
  ASSERT_TRUE(list);
  const std::vector<std::string> expected(list->found.begin(), list->found.end());
  EXPECT_EQ(paths, expected);
  EXPECT_THAT(paths, testing::Contains(paths::subject_plt()));
}

TEST(StockProcess, ReadsWordsOfItsMemory) {
  const auto process = StockProcess::start(paths::load_program());
  ASSERT_TRUE(process) << process.error().text();
  for (const Placed &placed : process->libraries()) {
    if (!placed.path.empty() && !placed.path.contains('/'))
      continue;
    const auto file = ElfFile::open(placed.path.empty() ? paths::load_program() : placed.path);
    ASSERT_TRUE(file);
    std::uint64_t first = 0;
    std::memcpy(&first, file->bytes().data(), sizeof first);
    EXPECT_EQ(process->word(placed.base + file->segments().front().address), first);
  }
  EXPECT_EQ(process->word(0), std::nullopt);
  EXPECT_EQ(process->word(~std::uint64_t{0} - 4), std::nullopt);
}

TEST(StockProcess, HasBoundAllFunctionsAtOnce) {
  const auto process = StockProcess::start(paths::load_program());
  ASSERT_TRUE(process) << process.error().text();
  const auto program = ElfFile::open(paths::load_program());
  const auto library = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(program && library);
  const auto placed = std::ranges::find(process->libraries(), paths::subject_plt(), &Placed::path);
  ASSERT_NE(placed, process->libraries().end());
  const auto defined = std::ranges::find(library->symbols(), "subject_call", &Symbol::name);
  ASSERT_NE(defined, library->symbols().end());
  std::size_t slots = 0;
  for (const Relocation &relocation : program->relocations())
    if (program->symbols().at(relocation.symbol).name == "subject_call") {
      EXPECT_EQ(process->word(process->libraries().front().base + relocation.address),
                placed->base + defined->address);
      ++slots;
    }
  EXPECT_GT(slots, 0U);
}

TEST(StockProcess, OfAProgramThatLacksALibraryFails) {
  const Folder folder;
  const auto program = folder.path() / "program"; // finds no library in this directory
  std::filesystem::copy_file(paths::load_program_alone(), program);
  const auto process = StockProcess::start(program);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ErrorCode::bad_plan);
  EXPECT_EQ(process.error().subject, program.string());
  EXPECT_THAT(process.error().message, HasSubstr("does not start it"));
}

TEST(StockProcess, OfAStaticProgramFails) {
  const auto process = StockProcess::start(paths::load_program_static());
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ErrorCode::bad_plan);
  EXPECT_THAT(process.error().message, HasSubstr("has no loader"));
}

TEST(StockProcess, OfWhatIsNoProgramFails) {
  const Folder folder;
  for (const auto &path : {std::filesystem::path("/nowhere/program"), folder.write("text", "x")}) {
    const auto process = StockProcess::start(path);
    ASSERT_FALSE(process);
    EXPECT_EQ(process.error().code, ErrorCode::file_error);
    EXPECT_THAT(process.error().message, HasSubstr("cannot be executed"));
  }
}

TEST(StockProcess, LeavesNoProcessBehind) {
  for (const std::string &program : std::vector<std::string>{
           paths::load_program(), paths::load_program_static(), "/nowhere/program"}) {
    static_cast<void>(StockProcess::start(program));
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1) << program;
    EXPECT_EQ(errno, ECHILD) << program;
  }
}

} // namespace
} // namespace sartor::loader

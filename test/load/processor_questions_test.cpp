// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/processor_questions.h"

#include <algorithm>
#include <array>
#include <cpuid.h>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "loader/lib/stock/stock_loader.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::uint64_t page = 4096;
using Words = std::array<std::uint32_t, 4>;

class ProcessorQuestions : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(file_) << file_.error().text();
    auto memory = LibraryMemory::of(*file_);
    ASSERT_TRUE(memory) << memory.error();
    memory_ = std::move(*memory);
  }
  [[nodiscard]] std::uint64_t address_of(std::string_view name) const {
    return std::ranges::find(file_->symbols(), name, &Symbol::name)->address;
  }
  /// True if a part of the function is redirected.
  [[nodiscard]] bool is_redirected(std::string_view name) const {
    const std::uint64_t begin = address_of(name);
    const std::uint64_t end =
        begin + std::ranges::find(file_->symbols(), name, &Symbol::name)->size;
    return std::ranges::any_of(questions_, [&](const ProcessorQuestion &question) {
      return question.address >= begin && question.address < end;
    });
  }
  /// Copies the library and the answers to executable memory.
  void redirect(const std::vector<ProcessorAnswer> &answers) {
    const std::uint64_t end = (memory_->data_end + page - 1) / page * page;
    const auto content = answer(*memory_, questions_, answers, end);
    ASSERT_EQ(content.size(), page);
    auto *room = static_cast<std::byte *>(
        mmap(nullptr, end + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(static_cast<void *>(room), MAP_FAILED);
    std::ranges::copy(memory_->readonly, room + memory_->begin);
    std::ranges::copy(memory_->data, room + memory_->data_begin);
    std::ranges::copy(content, room + end);
    ASSERT_EQ(mprotect(room, end + page, PROT_READ | PROT_EXEC), 0);
    room_ = room;
  }
  int ask(const char *function, std::uint32_t leaf, std::uint32_t part, Words &said) const {
    using Function = int(std::uint32_t, std::uint32_t, std::uint32_t *);
    return reinterpret_cast<Function *>(room_ + address_of(function))(leaf, part, said.data());
  }

  Result<ElfFile> file_ = ElfFile::open(paths::questions());
  std::vector<ProcessorQuestion> questions_ = processor_questions(*file_);
  std::optional<LibraryMemory> memory_;
  std::byte *room_ = nullptr;
};

TEST_F(ProcessorQuestions, AreFoundWhereTheyCanBeMoved) {
  EXPECT_TRUE(is_redirected("asks_between"));
  EXPECT_FALSE(is_redirected("asks_where_jumps_lead"));
  EXPECT_FALSE(is_redirected("asks_in_a_table"));
  EXPECT_FALSE(is_redirected("asks_behind_a_jump"));
}

TEST_F(ProcessorQuestions, AreAnsweredAndNothingElseChanges) {
  redirect({{7, ~0U, 1, 1, 2, 3, 4}, {1, 0, 0, 5, 6, 7, 8}});
  Words said{};
  EXPECT_EQ(ask("asks_between", 7, 1, said), 1);
  EXPECT_THAT(said, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(ask("asks_between", 1, 12345, said), 1);
  EXPECT_THAT(said, ElementsAre(5, 6, 7, 8));
}

TEST_F(ProcessorQuestions, WithoutAnAnswerAreTheProcessors) {
  redirect({{7, ~0U, 1, 1, 2, 3, 4}});
  for (const std::uint32_t leaf : {0U, 7U, 0x80000000U}) {
    Words said{};
    Words expected{};
    EXPECT_EQ(ask("asks_between", leaf, 0, said), 1);
    __cpuid_count(leaf, 0, expected[0], expected[1], expected[2], expected[3]);
    EXPECT_EQ(said, expected) << leaf;
  }
}

TEST_F(ProcessorQuestions, ThatAreNotRedirectedAreAskedAsEver) {
  redirect({{0, 0, 0, 1, 2, 3, 4}});
  Words expected{};
  __cpuid_count(0, 0, expected[0], expected[1], expected[2], expected[3]);
  for (const char *function : {"asks_where_jumps_lead", "asks_in_a_table", "asks_behind_a_jump"}) {
    Words said{};
    ask(function, 0, 0, said);
    EXPECT_EQ(said, expected) << function;
  }
}

TEST_F(ProcessorQuestions, ForWhichThereIsNoRoomStay) {
  const std::vector<ProcessorAnswer> many(page / sizeof(ProcessorAnswer) - 2);
  const auto before = memory_->readonly;
  const auto content = answer(*memory_, questions_, many, memory_->data_end + page);
  EXPECT_EQ(content.size(), page);
  EXPECT_EQ(memory_->readonly, before);
}

TEST(ProcessorAnswers, AreTheProcessors) {
  const auto answers = processor_answers();
  ASSERT_FALSE(answers.empty());
  // The page has room for more questions than there are.
  EXPECT_LT(answers.size() * sizeof(ProcessorAnswer), page / 2);
  for (const ProcessorAnswer &answer : answers) {
    Words said{};
    __cpuid_count(answer.leaf, answer.part, said[0], said[1], said[2], said[3]);
    EXPECT_EQ(answer.a, said[0]) << answer.leaf;
    EXPECT_EQ(answer.c, said[2]) << answer.leaf;
    EXPECT_THAT(answer.mask, testing::AnyOf(0U, ~0U));
  }
}

/// In the stock loader, almost all questions are redirected, and they jump to the page and back.
TEST(ProcessorQuestionsOfTheStockLoader, AreRedirected) {
  const auto file = ElfFile::open(stock_loader);
  ASSERT_TRUE(file);
  const auto questions = processor_questions(*file);
  EXPECT_GT(questions.size(), 20U);
  auto memory = LibraryMemory::of(*file);
  ASSERT_TRUE(memory);
  auto before = *memory;
  answer(*memory, questions, processor_answers(), memory->data_end + page);
  for (const ProcessorQuestion &question : questions) {
    const auto was = before.at(question.address, question.size);
    EXPECT_EQ(was[question.before], std::byte{0x0f});
    EXPECT_EQ(was[question.before + 1U], std::byte{0xa2});
    const auto code = memory->at(question.address, question.size);
    EXPECT_EQ(code[0], std::byte{0xe9}) << "there is no room for it";
    EXPECT_THAT(std::vector(code.begin() + 5, code.end()), Each(std::byte{0x90}));
    std::ranges::copy(was, code.begin());
  }
  EXPECT_EQ(memory->readonly, before.readonly);
}

} // namespace
} // namespace sartor::loader

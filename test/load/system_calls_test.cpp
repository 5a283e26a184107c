// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/system_calls.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <sys/syscall.h>

#include "loader/lib/stock/stock_loader.h"
#include "paths.h"

namespace sartor::loader {
namespace {

using testing::Contains;
using testing::Field;

constexpr std::uint64_t page = 4096;

class SystemCalls : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(file_) << file_.error().text();
    ASSERT_TRUE(calls_) << calls_.error().text();
    ASSERT_TRUE(event_) << event_.error().text();
  }
  Result<ElfFile> file_ = ElfFile::open(stock_loader);
  Result<std::vector<SystemCall>> calls_ = system_calls(*file_);
  Result<DebugEvent> event_ = debug_event(*file_);
};

/// The target of a jump.
std::uint64_t leads_to(std::span<const std::byte> jump, std::uint64_t address) {
  EXPECT_EQ(jump[0], std::byte{0xe9});
  std::int32_t distance = 0;
  std::memcpy(&distance, &jump[1], sizeof distance);
  return address + 5 + static_cast<std::uint64_t>(std::int64_t{distance});
}

TEST_F(SystemCalls, OfTheStockLoaderAreFound) {
  for (const long number : {SYS_read, SYS_mmap, SYS_mprotect, SYS_pread64})
    EXPECT_THAT(*calls_, Contains(Field(&SystemCall::number, static_cast<std::uint32_t>(number))));
  for (const SystemCall &call : *calls_) {
    const auto code = file_->at(call.address, call.size);
    ASSERT_TRUE(code);
    EXPECT_EQ((*code)[0], std::byte{0x0f});
    EXPECT_EQ((*code)[1], std::byte{0x05});
    EXPECT_TRUE((*code)[2] == std::byte{0x3d} || (*code)[3] == std::byte{0x3d});
  }
}

TEST_F(SystemCalls, AreNotFoundInAnotherLibrary) {
  const auto library = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(library);
  const auto calls = system_calls(*library);
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().code, ErrorCode::bad_plan);
}

TEST_F(SystemCalls, LeadToTheirStubsAndBack) {
  auto memory = LibraryMemory::of(*file_);
  ASSERT_TRUE(memory);
  const std::uint64_t stubs = (memory->data_end + 10 * page) / page * page;
  const auto content = redirect(*memory, *calls_, *event_, stubs);
  ASSERT_TRUE(content) << content.error().text();
  ASSERT_EQ(content->size(), page);
  for (const SystemCall &call : *calls_) {
    const std::uint64_t stub = leads_to(memory->at(call.address, call.size), call.address);
    ASSERT_GE(stub, stubs);
    const std::uint64_t at = stub - stubs;
    const std::size_t comparison = call.size - 2U;
    ASSERT_LE(at + 13 + comparison + 5, page);
    const auto code = std::span(*content).subspan(at);
    EXPECT_TRUE(std::ranges::equal(code.subspan(13, comparison),
                                   file_->at(call.address, call.size)->subspan(2)));
    EXPECT_EQ(leads_to(code.subspan(13 + comparison), stub + 13 + comparison),
              call.address + call.size);
    std::int32_t distance = 0; // distance to the word that identifies the caller
    std::memcpy(&distance, &code[9], sizeof distance);
    EXPECT_EQ(stub + 13 + static_cast<std::uint64_t>(std::int64_t{distance}), stubs + page);
  }
}

TEST_F(SystemCalls, WhatInformsDebuggersCallsItsStub) {
  auto memory = LibraryMemory::of(*file_);
  ASSERT_TRUE(memory);
  const std::uint64_t stubs = (memory->data_end + 10 * page) / page * page;
  const auto content = redirect(*memory, *calls_, *event_, stubs);
  ASSERT_TRUE(content) << content.error().text();
  const std::uint64_t stub = leads_to(memory->at(event_->function, 5), event_->function);
  ASSERT_GE(stub, stubs);
  ASSERT_LT(stub, stubs + page - 13);
  std::int32_t distance = 0; // distance to the word for the listener: the second one
  std::memcpy(&distance, &(*content)[stub - stubs + 9], sizeof distance);
  EXPECT_EQ(stub + 13 + static_cast<std::uint64_t>(std::int64_t{distance}), stubs + page + 8);
  EXPECT_EQ((*content)[plain_event], std::byte{0xc3});
}

TEST_F(SystemCalls, AnotherLibraryDoesNotInformDebuggers) {
  const auto library = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(library);
  const auto event = debug_event(*library);
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, ErrorCode::bad_plan);
}

TEST_F(SystemCalls, RedirectedLeaveTheRestAsItWas) {
  auto memory = LibraryMemory::of(*file_);
  ASSERT_TRUE(memory);
  auto before = *memory;
  ASSERT_TRUE(redirect(*memory, *calls_, *event_, memory->data_end + page));
  for (const SystemCall &call : *calls_) {
    const auto code = memory->at(call.address, call.size);
    EXPECT_FALSE(std::ranges::equal(code, before.at(call.address, call.size)));
    std::ranges::copy(before.at(call.address, call.size), code.begin());
  }
  constexpr std::uint64_t size_of_jump = 5;
  std::ranges::copy(before.at(event_->function, size_of_jump),
                    memory->at(event_->function, size_of_jump).begin());
  EXPECT_EQ(memory->readonly, before.readonly);
  EXPECT_EQ(memory->data, before.data);
}

TEST_F(SystemCalls, OutsideOfTheLoaderAreAnError) {
  auto memory = LibraryMemory::of(*file_);
  ASSERT_TRUE(memory);
  const std::vector<SystemCall> outside = {{memory->data_end + page, 8, SYS_read}};
  const auto content = redirect(*memory, outside, *event_, memory->data_end + page);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ErrorCode::bad_plan);
}

} // namespace
} // namespace sartor::loader

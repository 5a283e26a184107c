// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/call_sites.h"
#include "paths.h"

#include <algorithm>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace sartor::loader {
namespace {

using Kind = CallSite::Kind;
using testing::Contains;
using testing::IsEmpty;
using testing::Pair;

/// Kinds and target symbols of each function's call sites, in order.
std::multimap<std::string, std::pair<Kind, std::string>> sites_of(const std::string &path) {
  const auto file = ElfFile::open(path);
  EXPECT_TRUE(file) << file.error().text();
  const auto decoded = find_call_sites(*file);
  EXPECT_TRUE(decoded) << decoded.error().text();
  EXPECT_THAT(decoded->undecoded, IsEmpty());
  std::multimap<std::string, std::pair<Kind, std::string>> result;
  for (const CallSite &site : decoded->sites)
    for (const Symbol &symbol : file->symbols())
      if (symbol.is_defined && site.address >= symbol.address &&
          site.address < symbol.address + symbol.size) {
        const Relocation &relocation = file->relocations()[site.relocation];
        EXPECT_EQ(relocation.address, site.slot);
        result.emplace(symbol.name, std::pair(site.kind, file->symbols()[relocation.symbol].name));
      }
  return result;
}

TEST(CallSites, LeadThroughStubs) {
  const auto sites = sites_of(paths::subject_plt());
  EXPECT_THAT(sites, Contains(Pair("subject_call", Pair(Kind::call_stub, "abs"))));
  EXPECT_THAT(sites, Contains(Pair("subject_tail_call", Pair(Kind::jump_stub, "abs"))));
  EXPECT_THAT(sites, Contains(Pair("subject_address", Pair(Kind::load_slot, "abs"))));
  EXPECT_THAT(sites, Contains(Pair("subject_conditional", Pair(Kind::call_stub, "exit"))));
}

TEST(CallSites, LeadThroughSlotsWithoutStubs) {
  const auto sites = sites_of(paths::subject_no_plt());
  EXPECT_THAT(sites, Contains(Pair("subject_call", Pair(Kind::call_slot, "abs"))));
  EXPECT_THAT(sites, Contains(Pair("subject_tail_call", Pair(Kind::jump_slot, "abs"))));
  EXPECT_THAT(sites, Contains(Pair("subject_address", Pair(Kind::load_slot, "abs"))));
}

TEST(CallSites, StubsThemselvesAreNone) {
  const auto file = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(file);
  const auto decoded = find_call_sites(*file);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::ranges::count(decoded->sites, Kind::jump_slot, &CallSite::kind), 0);
}

TEST(CallSites, AllOfStockLibrariesIsDecoded) {
  for (const char *path :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"}) {
    const auto file = ElfFile::open(path);
    ASSERT_TRUE(file);
    const auto decoded = find_call_sites(*file);
    ASSERT_TRUE(decoded);
    EXPECT_THAT(decoded->undecoded, IsEmpty()) << path;
    EXPECT_TRUE(std::ranges::is_sorted(decoded->sites, {}, &CallSite::address));
    EXPECT_GT(decoded->sites.size(), 300U) << path;
  }
}

TEST(CallSites, DamagedCodeIsLeftAlone) {
  const auto whole = ElfFile::open(paths::subject_plt());
  ASSERT_TRUE(whole);
  const auto text = std::ranges::find(whole->sections(), ".text", &Section::name);
  ASSERT_NE(text, whole->sections().end());
  const auto code = whole->from(text->address);
  const auto offset = static_cast<std::size_t>(code.data() - whole->bytes().data());
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> anywhere(offset, offset + text->size - 1);
  std::uniform_int_distribution<unsigned> any(0, 255);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::byte> bytes(whole->bytes().begin(), whole->bytes().end());
    for (int i = 0; i < 8; ++i)
      bytes[anywhere(random)] = static_cast<std::byte>(any(random));
    const auto file = ElfFile::parse("damaged", std::move(bytes));
    ASSERT_TRUE(file);
    const auto decoded = find_call_sites(*file);
    ASSERT_TRUE(decoded);
    for (const CallSite &site : decoded->sites) {
      EXPECT_EQ(file->relocations()[site.relocation].address, site.slot);
      for (const CodeRange &range : decoded->undecoded)
        EXPECT_FALSE(site.address >= range.begin && site.address < range.end);
    }
  }
}

} // namespace
} // namespace sartor::loader

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/written_memory.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor::loader {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::uint64_t base = 0x10000;

Elf64_Phdr part(std::uint32_t type, std::uint32_t flags, std::uint64_t begin, std::uint64_t end) {
  Elf64_Phdr header{};
  header.p_type = type;
  header.p_flags = flags;
  header.p_vaddr = begin;
  header.p_memsz = end - begin;
  return header;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>>
written(const std::vector<Elf64_Phdr> &headers) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for_each_written(headers, base, [&](std::uint64_t begin, std::uint64_t end) {
    all.emplace_back(begin - base, end - base);
  });
  return all;
}

TEST(WrittenMemory, IsInWholePages) {
  EXPECT_THAT(written({part(PT_LOAD, PF_R | PF_X, 0, 0x900), part(PT_LOAD, PF_W, 0x1010, 0x2010)}),
              ElementsAre(Pair(0x1000, 0x3000)));
}

TEST(WrittenMemory, IsWithoutWhatIsReadOnlyWhenItIsRelocated) {
  const Elf64_Phdr data = part(PT_LOAD, PF_W, 0x1010, 0x4010);
  EXPECT_THAT(written({data, part(PT_GNU_RELRO, PF_R, 0x1010, 0x3000)}),
              ElementsAre(Pair(0x3000, 0x5000)));
  EXPECT_THAT(written({data, part(PT_GNU_RELRO, PF_R, 0x2000, 0x3800)}),
              ElementsAre(Pair(0x1000, 0x2000), Pair(0x3000, 0x5000)));
}

TEST(WrittenMemory, IsNoneWhereAllIsReadOnly) {
  EXPECT_THAT(
      written({part(PT_LOAD, PF_W, 0x1000, 0x2000), part(PT_GNU_RELRO, PF_R, 0x1000, 0x2000)}),
      IsEmpty());
}

} // namespace
} // namespace sartor::loader

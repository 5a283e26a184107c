// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/isolated_call.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include <sys/mman.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "call_of.h"

namespace sartor::runtime {
namespace {

using testing::HasSubstr;

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPages = 64;

struct Node {
  Node *next;
  long value;
};

long sum(void *list) {
  long sum = 0;
  for (const Node *node = static_cast<const Node *>(list); node; node = node->next)
    sum += node->value;
  return sum;
}

/// Nodes in some of the pages of a mapping.
class TouchedMemoryTest : public testing::Test {
protected:
  ~TouchedMemoryTest() override { munmap(memory_, kPages * kPageBytes); }

  Node *node(std::size_t page) {
    return reinterpret_cast<Node *>(memory_ + page * kPageBytes + 16 * page);
  }

  Node *list(const std::vector<std::size_t> &pages) {
    Node *first = nullptr;
    for (const std::size_t page : pages) {
      *node(page) = {first, static_cast<long>(page)};
      first = node(page);
    }
    return first;
  }

  /// The pages of the mapping among the pieces. Each has its content.
  std::set<std::size_t> pages_in(const std::vector<MemoryPiece> &pieces) {
    std::set<std::size_t> pages;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_);
    for (const MemoryPiece &piece : pieces)
      if (piece.address - begin < kPages * kPageBytes) {
        pages.insert((piece.address - begin) / kPageBytes);
        EXPECT_EQ(piece.bytes.size(), kPageBytes);
        EXPECT_EQ(std::memcmp(piece.bytes.data(), reinterpret_cast<const void *>(piece.address),
                              kPageBytes),
                  0);
      }
    return pages;
  }

private:
  char *memory_ = static_cast<char *>(mmap(nullptr, kPages *kPageBytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

TEST_F(TouchedMemoryTest, HasExactlyThePagesThatAreRead) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call(list({3, 60, 7, 8, 31}));
  const auto touched = call.touch(sum);
  ASSERT_TRUE(touched) << touched.error().text();
  EXPECT_EQ(pages_in(*touched), (std::set<std::size_t>{3, 7, 8, 31, 60}));
  // The code reads its arguments, too, and nothing more.
  const auto arguments = reinterpret_cast<std::uintptr_t>((*call).frame);
  EXPECT_TRUE(std::ranges::any_of(*touched, [&](const MemoryPiece &piece) {
    return piece.address <= arguments && arguments < piece.address + piece.bytes.size();
  }));
  EXPECT_LE(touched->size(), 7U);
  EXPECT_EQ(call.result(), -1);
}

TEST_F(TouchedMemoryTest, IsOfBeforeTheCall) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call(list({5, 6}));
  const auto touched = call.touch([](void *first) -> long {
    Node *const second = static_cast<Node *>(first)->next;
    second->value = 99;
    static_cast<Node *>(first)->value = 98;
    return 0;
  });
  ASSERT_TRUE(touched) << touched.error().text();
  EXPECT_EQ(pages_in(*touched), (std::set<std::size_t>{5, 6}));
}

TEST_F(TouchedMemoryTest, HasConstantsAndGlobals) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  static volatile long variable = 5;
  static constexpr volatile long kConstant[] = {5, 6, 7};
  CallOf call;
  const auto touched =
      call.touch([](void *) -> long { return variable + kConstant[variable % 3]; });
  ASSERT_TRUE(touched) << touched.error().text();
  const volatile long *const known[] = {&variable, &kConstant[2]};
  for (const volatile long *each : known)
    EXPECT_TRUE(std::ranges::any_of(*touched, [&](const MemoryPiece &piece) {
      return reinterpret_cast<std::uintptr_t>(each) - piece.address < piece.bytes.size();
    }));
}

TEST_F(TouchedMemoryTest, IsKnownOfCodeThatCrashesOrHangsOrThrows) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call(list({1, 2}));
  const auto crashed = call.touch([](void *of) -> long {
    (void)sum(of);
    static_cast<Node *>(of)->value = sum(of);
    __builtin_trap();
  });
  ASSERT_TRUE(crashed) << crashed.error().text();
  EXPECT_EQ(pages_in(*crashed), (std::set<std::size_t>{1, 2}));
  const auto hung = call.touch(
      [](void *of) -> long {
        while (sum(of) > 0)
          asm volatile("" : : : "memory");
        return 0;
      },
      {.time = std::chrono::milliseconds(20)});
  ASSERT_TRUE(hung) << hung.error().text();
  EXPECT_EQ(pages_in(*hung), (std::set<std::size_t>{1, 2}));
  const auto threw = call.touch([](void *of) -> long { throw sum(of); });
  ASSERT_TRUE(threw) << threw.error().text();
  EXPECT_EQ(pages_in(*threw), (std::set<std::size_t>{1, 2}));
}

TEST_F(TouchedMemoryTest, IsRefusedAboveTheLimit) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call(list({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const auto touched = call.touch(sum, {.bytes = 4 * kPageBytes});
  ASSERT_FALSE(touched);
  EXPECT_EQ(touched.error().code, ErrorCode::unreadable_memory);
  EXPECT_THAT(touched.error().message, HasSubstr("accesses more than 16384 bytes of memory"));
}

} // namespace
} // namespace sartor::runtime

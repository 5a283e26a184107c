// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that cannot be protected is reported.
#include "pages.h"

namespace {

using namespace std::chrono_literals;
using sartor::ErrorCode;
using sartor::QuasiInvariant;

std::string refusal(const void *memory, std::size_t size) {
  QuasiInvariant quasi_invariant("odd", protecting());
  try {
    quasi_invariant.add(memory, size);
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_invariant);
    return error.what();
  }
  return {};
}

TEST_F(Pages, OfStacksAreRefused) {
  const std::uint64_t local = 0;
  EXPECT_THAT(refusal(&local, sizeof local), testing::HasSubstr("\"odd\": is a thread's stack"));
}

TEST_F(Pages, ThatCannotBeWrittenToAreRefused) {
  void *page = mmap(nullptr, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_THAT(refusal(page, 8), testing::HasSubstr("\"odd\": cannot be written to"));
  munmap(page, page_size());
  EXPECT_THAT(refusal(page, 8), testing::HasSubstr("\"odd\": is no memory"));
}

TEST_F(Pages, AreNotProtectedTogetherWithAnswers) {
  auto options = protecting();
  options.refuse = [](void *, std::size_t) { return true; };
  EXPECT_EQ(failing([&] { shared_of(*file_, options); }), ErrorCode::bad_invariant);
  std::swap(options.refuse, options.reinforce);
  EXPECT_EQ(failing([&] { shared_of(*file_, options); }), ErrorCode::bad_invariant);
}

TEST_F(Pages, ThatHaveGoneAreReported) {
  sartor::Runtime runtime(logged());
  void *page =
      mmap(nullptr, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto quasi_invariant = shared_of(*new (page) File());
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  munmap(page, page_size());
  {
    const sartor::Write write(quasi_invariant);
  }
  EXPECT_TRUE(comes_true([&] {
    return log().contains("quasi_invariant_not_protected") ||
           log().contains("quasi_invariant_unreadable");
  }));
  EXPECT_FALSE(quasi_invariant.valid());
}

} // namespace

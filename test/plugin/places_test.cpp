// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "places.h"

#include <algorithm>
#include <csignal>
#include <string>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ucontext.h>

#include <sartor/sartor.hpp>

namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Property;

class Places : public testing::Test {
protected:
  /// Activates variants with this setting and returns them.
  std::vector<sartor::VariantInfo> set(const std::string &label, int value) {
    return runtime_.specialize({{label, value}});
  }

  /// The reported reason why the handler has no variants.
  std::string refusal(const std::string &label) {
    try {
      (void)set(label, 1);
    } catch (const sartor::Error &error) {
      return error.what();
    }
    return "";
  }

  sartor::Runtime runtime_;
};

TEST_F(Places, TheNextDefinitionIsWhatNativeCodeFinds) {
  auto handler = runtime_.handler<&next_of>();
  for (const int way : {0, 1, 2}) {
    ASSERT_THAT(set("next_way", way), Not(IsEmpty()));
    for (const char *name : {"free", "getpid", "places_of_nobody"})
      EXPECT_EQ(handler(name, way), next_of(name, way)) << name << way;
    EXPECT_NE(handler("free", way), nullptr);
  }
}

TEST_F(Places, TheObjectsAreThoseOfTheHandlersNamespace) {
  auto handler = runtime_.handler<&objects_seen>();
  ASSERT_THAT(set("seen_way", 1), Not(IsEmpty()));
  EXPECT_EQ(handler(1), objects_seen(1));
}

TEST_F(Places, WhoCallsWhatLooksAtItsCallerStaysNative) {
  EXPECT_THAT(refusal("called_way"), HasSubstr("sees_an_object"));
  EXPECT_EQ(runtime_.handler<&is_called_from_an_object>()(1), 1);
  ASSERT_THAT(set("caller_way", 1), Not(IsEmpty()));
  EXPECT_EQ(runtime_.handler<&has_a_caller_in_an_object>()(1), 1);
}

void go_on(int, siginfo_t *, void *context) {
  auto &at = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
  for (const Exception *each = __start_place_exceptions; each != __stop_place_exceptions; ++each)
    if (each->at == static_cast<unsigned long>(at)) {
      at = static_cast<greg_t>(each->next);
      return;
    }
  std::signal(SIGSEGV, SIG_DFL);
}

TEST_F(Places, AssemblyThatNotesItsPlaceStaysNative) {
  EXPECT_THAT(refusal("load_way"), HasSubstr(".pushsection"));
  struct sigaction before = {};
  struct sigaction ours = {};
  ours.sa_sigaction = go_on;
  ours.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &ours, &before);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): where nothing is
  EXPECT_EQ(runtime_.handler<&load_or_less>()(reinterpret_cast<const long *>(8), 1), -1);
  sigaction(SIGSEGV, &before, nullptr);
  EXPECT_THAT(refusal("subsection_way"), HasSubstr(".subsection"));
  EXPECT_EQ(runtime_.handler<&with_subsection>()(2, 1), 3);
}

TEST_F(Places, ProbesAreReported) {
  const auto made = set("probe_way", 2);
  const auto variant = std::ranges::find(made, "probed", &sartor::VariantInfo::handler);
  ASSERT_NE(variant, made.end());
  EXPECT_THAT(variant->remarks,
              Contains(Property(&sartor::Remark::text,
                                AllOf(HasSubstr("probes_unseen"), HasSubstr("probed")))));
  EXPECT_EQ(runtime_.handler<&probed>()(4, 2), 8);
}

} // namespace

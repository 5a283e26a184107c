// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/connection.h"

#include <set>

#include <gtest/gtest.h>

namespace sartor::cli {
namespace {

using Json = nlohmann::ordered_json;

Json status(const Json &statistics, const Json &off = Json::array()) {
  const Json runtime{{"id", 1}, {"off", off}, {"statistics", statistics}};
  return Json{{"runtimes", Json::array({runtime})}};
}

TEST(VariantsMark, ChangesWhenVariantsDo) {
  const Json before{{"variants", 2}, {"switches", 4},  {"replugs", 0},
                    {"verified", 9}, {"reclaimed", 1}, {"differences", 0}};
  std::set<std::uint64_t> marks{variants_mark(status(before))};
  EXPECT_EQ(variants_mark(status(before)), *marks.begin());
  Json reclaimed = before;
  reclaimed["variants"] = 1;
  reclaimed["reclaimed"] = 2;
  marks.insert(variants_mark(status(reclaimed)));
  Json inactive = before; // its invariant was revoked
  inactive["replugs"] = 1;
  marks.insert(variants_mark(status(inactive)));
  marks.insert(variants_mark(status(before, Json::array({"blend"}))));
  EXPECT_EQ(marks.size(), 4U);
}

TEST(VariantsMark, ExistsWithoutRuntimes) {
  EXPECT_EQ(variants_mark(Json::object()), variants_mark(Json{{"runtimes", Json::array()}}));
}

} // namespace
} // namespace sartor::cli

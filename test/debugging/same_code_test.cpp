// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Debug information changes no code: the handlers of a file compiled without it, with line tables
/// and with -g have the same machine code.

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/compiler/compiler.h"
#include "core/compiler/find_compiler.h"
#include "core/compiler/no_deadline.h"
#include "core/space/fit.h"
#include "paths.h"
#include "runtime/codemem/line_rows.h"

namespace sartor::core {
namespace {

template <class T> T value_of(Result<T> result) {
  if (!result)
    throw std::runtime_error(result.error().text());
  return std::move(*result);
}

/// The code of each handler in a file, for one configuration, in each tier.
std::vector<CodeImage> images_of(const std::string &path, const std::string &passes) {
  InProcessCompiler &compiler = *value_of(find_compiler());
  std::ifstream file(path, std::ios::binary);
  const auto module = std::make_shared<const HandlerModule>(value_of(
      compiler.load_file("handlers", std::string(std::istreambuf_iterator<char>(file), {}))));
  const auto maker = compiler.make_maker(module);
  Configuration configuration;
  for (const Point &point : module->space.points())
    if (!point.choices.empty())
      configuration.set(point.label, Setting(point.choices.back()));
  std::vector<CodeImage> images;
  for (const HandlerModule::Handler &handler : module->handlers) {
    if (!handler.native_only.empty())
      continue;
    for (const Tier tier : {Tier::quick, Tier::full}) {
      Context context;
      context.handler = handler.name;
      context.configuration = configuration;
      Pipeline pipeline;
      pipeline.passes = passes;
      const auto draft = value_of(
          maker->draft(context, handler.name + "{}", {tier, pipeline, false}, NoDeadline()));
      images.push_back(value_of(draft->make(NoDeadline())));
    }
  }
  return images;
}

CodeImage without_debug(CodeImage image) {
  image.debug.clear();
  for (LoopReport &loop : image.fold_report.loops)
    loop.line = 0; // known with debug information alone
  for (Remark &remark : image.remarks)
    remark.message.clear(); // has lines, too
  return image;
}

class SameCodeTest : public testing::TestWithParam<std::string> {
protected:
  [[nodiscard]] static std::string file(const char *kind) {
    return paths::debugging_files() + "/" + GetParam() + "." + kind + ".bc";
  }
};

TEST_P(SameCodeTest, WithAndWithoutLines) {
  const std::vector<CodeImage> plain = images_of(file("none"), "");
  ASSERT_FALSE(plain.empty());
  for (const char *kind : {"lines", "full"}) {
    const std::vector<CodeImage> with = images_of(file(kind), "");
    ASSERT_EQ(with.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const std::string what =
          std::string(kind) + (i % 2 == 0 ? " quick " : " full ") + plain[i].name;
      EXPECT_TRUE(with[i].code == plain[i].code) << what;
      EXPECT_TRUE(without_debug(with[i]) == plain[i]) << what;
      EXPECT_TRUE(plain[i].debug.empty());
      EXPECT_FALSE(runtime::line_rows(with[i].debug).empty()) << what;
    }
  }
}

// The pass ends the process if debug information is invalid.
TEST_P(SameCodeTest, LinesAreValid) {
  for (const char *kind : {"lines", "full"})
    EXPECT_FALSE(images_of(file(kind), "verify").empty());
}

INSTANTIATE_TEST_SUITE_P(Files, SameCodeTest,
                         testing::Values("arithmetic", "language", "modulus", "phases", "rates",
                                         "staged", "guest_programs"));

} // namespace
} // namespace sartor::core

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/request_key.h"

#include <array>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/cache/build_id.h"
#include "core/image/processor.h"

namespace sartor::core {
namespace {

HandlerModule module_of(std::string identity) {
  HandlerModule module;
  module.identity = std::move(identity);
  return module;
}

core::Context context_of(const std::string &handler, std::int64_t value) {
  core::Context context;
  context.handler = handler;
  context.configuration.set("x", value);
  return context;
}

const Making kHere{"processor", "builds"};

TEST(RequestKey, IsNotOfCodeThatAnotherBuildOfLlvmHasMade) {
  EXPECT_TRUE(has_llvm_of_here("compiler " + made_here().builds));
  EXPECT_FALSE(has_llvm_of_here("compiler sartor llvm mathematics"));
}

TEST(RequestKey, DistinguishesAllThatMakesOtherCode) {
  const auto module = module_of("one");
  const auto context = context_of("f", 1);
  std::set<std::optional<base::ContentKey>> keys{request_key(module, context, {}, kHere)};
  keys.insert(request_key(module_of("other"), context, {}, kHere));
  auto replaced = module;
  replaced.replaced = "g\n";
  keys.insert(request_key(replaced, context, {}, kHere));
  keys.insert(request_key(module, context_of("g", 1), {}, kHere));
  keys.insert(request_key(module, context_of("f", 2), {}, kHere));
  auto bound = context;
  bound.arguments.emplace(0, Value(1));
  keys.insert(request_key(module, bound, {}, kHere));
  auto answering = context;
  answering.answers["p"] = {{{{1, 2}, 3}}, 0, {}};
  keys.insert(request_key(module, answering, {}, kHere));
  keys.insert(request_key(module, context, {"default<O1>", {}}, kHere));
  keys.insert(request_key(module, context, {}, {"another", "builds"}));
  keys.insert(request_key(module, context, {}, {"processor", "others"}));
  EXPECT_EQ(keys.size(), 10U);
  EXPECT_FALSE(keys.contains(std::nullopt));
  EXPECT_TRUE(keys.contains(request_key(module_of("one"), context_of("f", 1), {}, kHere)));
}

TEST(RequestKey, IsNoneForWhatMeansSomethingHereAlone) {
  const auto module = module_of("one");
  auto invariant = context_of("f", 1);
  invariant.answers["p"] = {{{{1, 2}, 3}}, 0, {7}};
  EXPECT_FALSE(request_key(module, invariant, {}, kHere));
  auto custom = context_of("f", 1);
  custom.custom_kinds["k"] = std::make_shared<CustomKind>();
  EXPECT_FALSE(request_key(module, custom, {}, kHere));
  EXPECT_FALSE(request_key(module, context_of("f", 1), {"", {"plugin.so"}}, kHere));
  EXPECT_FALSE(request_key(module, context_of("f", 1), {}, {"processor", ""}));
}

TEST(RequestKey, KnowsThisProcessorAndTheseBuilds) {
  EXPECT_EQ(made_here().processor, core::this_processor());
  EXPECT_TRUE(core::this_processor().starts_with("x86_64 "));
  EXPECT_FALSE(made_here().builds.empty());
}

/// Modules as the compiler plugin embeds them.
struct Embedded {
  std::vector<std::string> files;
  std::vector<sartor_symbol> symbols;

  std::vector<sartor_module> modules() const {
    std::vector<sartor_module> list;
    for (const std::string &file : files)
      list.push_back({SARTOR_MODULE_VERSION, "f.cpp",
                      reinterpret_cast<const unsigned char *>(file.data()), file.size(),
                      symbols.data(), symbols.size(), nullptr, 0});
    return list;
  }
};

std::optional<base::ContentKey> opening_key(const std::vector<sartor_module> &modules,
                                            const Making &making) {
  const auto opening = opening_of(modules);
  return opening ? core::opening_key(*opening, making) : std::nullopt;
}

TEST(OpeningKey, DistinguishesModulesAndWhatIsReplaced) {
  int own = 0;
  int other = 0;
  const Embedded one{{"a", "b"}, {}};
  const Embedded joined{{"ab"}, {}};
  const Embedded active{{"a", "b"}, {{"f", &own, &own}}};
  const Embedded replaced{{"a", "b"}, {{"f", &other, &own}}};
  const auto key = opening_key(one.modules(), kHere);
  ASSERT_TRUE(key);
  EXPECT_NE(key, opening_key(joined.modules(), kHere));
  EXPECT_EQ(key, opening_key(active.modules(), kHere));
  EXPECT_NE(key, opening_key(replaced.modules(), kHere));
  EXPECT_NE(key, opening_key(one.modules(), {"another", "builds"}));
}

TEST(OpeningKey, IsNoneWhereMoreThanTheFilesCounts) {
  const Embedded twice{{"a", "a"}, {}};
  EXPECT_FALSE(opening_key(twice.modules(), kHere)); // addresses distinguish identical modules
  auto other_version = Embedded{{"a"}, {}};
  auto modules = other_version.modules();
  modules.front().version = SARTOR_MODULE_VERSION + 1;
  EXPECT_FALSE(opening_key(modules, kHere));
}

TEST(BuildId, OfAFileIsThatOfWhatIsLoadedFromIt) {
  const auto running = build_id_at(reinterpret_cast<const void *>(&module_of));
  ASSERT_TRUE(running);
  EXPECT_EQ(build_id_in_file("/proc/self/exe"), running);
  EXPECT_FALSE(build_id_in_file("/proc/self/cmdline"));
  EXPECT_FALSE(build_id_in_file("/nowhere"));
}

TEST(BuildId, IsNoneWhereThereIsNone) {
  int on_the_stack = 0;
  EXPECT_FALSE(build_id_at(&on_the_stack));
  EXPECT_FALSE(build_id_of("/no/such/library.so"));
}

} // namespace
} // namespace sartor::core

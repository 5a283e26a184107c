// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/arithmetic.h"

namespace {

namespace fs = std::filesystem;
using sartor::Configuration;
using sartor::Runtime;
using sartor::VariantInfo;
using sartor::VariantOrigin;
using testing::HasSubstr;
using testing::Not;

class DiskCacheOfARuntime : public testing::Test {
protected:
  DiskCacheOfARuntime() {
    options_.cache_directory = directory_ / "cache";
    options_.event_log = directory_ / "events.jsonl";
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~DiskCacheOfARuntime() override { fs::remove_all(directory_); }

  /// The origin of the code of `scale` in a new runtime. Also checks its results.
  [[nodiscard]] VariantOrigin origin_of_scale(const Configuration &configuration,
                                              std::uint64_t factor) const {
    Runtime runtime(options_);
    auto call = runtime.handler<&scale>();
    const auto infos = runtime.specialize(configuration);
    EXPECT_EQ(call(7, factor, 1), 7 * factor);
    EXPECT_EQ(call(7, factor + 1, 1), 7 * (factor + 1)); // its guard fails
    EXPECT_EQ(runtime.statistics().guard_failures["factor"], 1U);
    return origin(infos, "_Z5scalemmj");
  }

  static VariantOrigin origin(const std::vector<VariantInfo> &infos, const std::string &handler) {
    for (const VariantInfo &info : infos)
      if (info.handler == handler)
        return info.origin;
    ADD_FAILURE() << "nothing of " << handler;
    return VariantOrigin::native;
  }

  /// The only file of this tier.
  [[nodiscard]] fs::path file_of(const std::string &tier) const {
    for (const fs::path &path : files()) {
      std::ifstream file(path, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      if (bytes.contains("\"tier\":\"" + tier + '"'))
        return path;
    }
    ADD_FAILURE() << "no file of tier " << tier;
    return {};
  }

  static void flip(const fs::path &file, std::streamoff at) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(at);
    const int byte = bytes.get();
    bytes.seekp(at);
    bytes.put(static_cast<char>(byte ^ 1));
  }

  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &file : fs::directory_iterator(options_.cache_directory))
      found.push_back(file.path());
    return found;
  }

  [[nodiscard]] std::string events() const {
    std::ifstream file(options_.event_log);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path directory_ = testing::TempDir() + "sartor_cached_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                        std::to_string(getpid());
  sartor::Options options_;
};

TEST_F(DiskCacheOfARuntime, AnotherRuntimeFindsWhatOneHasCompiled) {
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk);
  EXPECT_EQ(origin_of_scale({{"factor", 5}}, 5), VariantOrigin::compiled);
}

TEST_F(DiskCacheOfARuntime, CountsHitsAndMisses) {
  {
    Runtime runtime(options_);
    runtime.specialize({{"factor", 3}});
    EXPECT_EQ(runtime.statistics().disk_misses, 1U);
    EXPECT_EQ(runtime.statistics().disk_hits, 0U);
  }
  Runtime runtime(options_);
  runtime.specialize({{"factor", 3}});
  EXPECT_EQ(runtime.statistics().disk_misses, 0U);
  EXPECT_EQ(runtime.statistics().disk_hits, 1U);
  EXPECT_EQ(runtime.statistics().compiles, 0U);
}

TEST_F(DiskCacheOfARuntime, MemoryComesFirst) {
  Runtime runtime(options_);
  runtime.specialize({{"factor", 3}});
  runtime.specialize({});
  EXPECT_EQ(origin(runtime.specialize({{"factor", 3}}), "_Z5scalemmj"), VariantOrigin::memory);
  EXPECT_EQ(runtime.statistics().disk_hits, 0U);
}

TEST_F(DiskCacheOfARuntime, FindsCodeWhateverWasCompiledBefore) {
  const std::vector<Configuration> all{{{"factor", 2}, {"weight", 9}},
                                       {{"offset", 3}, {"step", 2}},
                                       {{"factor", 5}, {"common", 2}},
                                       {{"count", 4}, {"ready", true}}};
  {
    Runtime runtime(options_);
    for (const Configuration &configuration : all)
      runtime.specialize(configuration);
  }
  Runtime runtime(options_);
  for (auto configuration = all.rbegin(); configuration != all.rend(); ++configuration)
    runtime.specialize(*configuration);
  EXPECT_EQ(runtime.statistics().disk_misses, 0U);
  EXPECT_EQ(runtime.statistics().compiles, 0U);
}

TEST_F(DiskCacheOfARuntime, FindsWhatWasPrepared) {
  Runtime(options_).prepare({{"factor", 3}}).get();
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk);
}

TEST_F(DiskCacheOfARuntime, ServesWithoutAQuickTier) {
  options_.quick_tier = false;
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk);
}

TEST_F(DiskCacheOfARuntime, KeepsAnotherPipelineApart) {
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  for (const VariantOrigin expected : {VariantOrigin::compiled, VariantOrigin::disk}) {
    Runtime runtime(options_);
    runtime.customize_pipeline({.passes = "default<O1>"});
    EXPECT_EQ(origin(runtime.specialize({{"factor", 3}}), "_Z5scalemmj"), expected);
  }
}

TEST_F(DiskCacheOfARuntime, CompilesAgainWhatWasDamaged) {
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  const fs::path file = file_of("full");
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (const std::streamoff at : {std::streamoff{0}, std::streamoff{9}, std::streamoff{30},
                                  std::streamoff{60}, std::streamoff{100}, size / 2, size - 1}) {
    flip(file, at);
    EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled) << "byte " << at;
    EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk) << "byte " << at;
  }
  EXPECT_THAT(events(), HasSubstr("cache_damaged"));
  EXPECT_THAT(events(), HasSubstr(file.string()));
}

TEST_F(DiskCacheOfARuntime, CompilesAgainWhatWasCutShort) {
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  const fs::path file = file_of("full");
  for (const std::uintmax_t size :
       {std::uintmax_t{0}, std::uintmax_t{50}, fs::file_size(file) - 1}) {
    fs::resize_file(file, size);
    EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  }
}

TEST_F(DiskCacheOfARuntime, OpensAnewWhatWasDamaged) {
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  const fs::path file = file_of("opening");
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (const std::streamoff at : {std::streamoff{30}, size / 2, size - 1}) {
    flip(file, at);
    EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk) << "byte " << at;
    EXPECT_EQ(file_of("opening"), file); // the file is written again
  }
  EXPECT_THAT(events(), HasSubstr("cache_damaged"));
}

// As in a program that runs without a compiler and finds all code in a store.
TEST_F(DiskCacheOfARuntime, NeedsNoCompilerForWhatIsThere) {
  options_.compiler = sartor::CompilerLocation::none;
  {
    Runtime runtime(options_);
    EXPECT_FALSE(runtime.active());
    EXPECT_EQ(runtime.handler<&scale>()(7, 3, 1), 21U);
    expect_error([&] { runtime.specialize({{"factor", 3}}); }, sartor::ErrorCode::no_compiler,
                 ".cpp", "was not compiled ahead of time", "sartor compile");
  }
  options_.compiler = sartor::CompilerLocation::in_process;
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  options_.compiler = sartor::CompilerLocation::none;
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk);
  Runtime runtime(options_);
  runtime.specialize({{"factor", 3}});
  expect_error([&] { runtime.specialize({{"factor", 5}}); }, sartor::ErrorCode::no_compiler,
               "{factor=5}", "was not compiled ahead of time", "sartor compile");
  EXPECT_EQ(runtime.configuration(), Configuration({{"factor", 3}}));
}

TEST_F(DiskCacheOfARuntime, DoesWithoutADirectoryThatIsNone) {
  std::ofstream(options_.cache_directory) << "a file";
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  EXPECT_THAT(events(), HasSubstr("cache_unusable"));
  EXPECT_THAT(events(), HasSubstr(options_.cache_directory.string()));
}

TEST_F(DiskCacheOfARuntime, IsNotThereUnlessAskedFor) {
  options_.cache_directory.clear();
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
}

TEST_F(DiskCacheOfARuntime, IsWhereTheEnvironmentSays) {
  const fs::path elsewhere = directory_ / "elsewhere";
  setenv("SARTOR_CACHE_DIR", elsewhere.c_str(), 1);
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  unsetenv("SARTOR_CACHE_DIR");
  EXPECT_FALSE(fs::exists(options_.cache_directory));
  EXPECT_TRUE(fs::exists(elsewhere));
}

TEST_F(DiskCacheOfARuntime, KeepsTheNameForPerf) {
  options_.perf = sartor::PerfNames::map;
  const std::string map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  fs::remove(map);
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk);
  std::ifstream file(map);
  const std::string lines{std::istreambuf_iterator<char>(file), {}};
  fs::remove(map);
  EXPECT_THAT(lines, HasSubstr(" scale{factor=3}\n"));
}

TEST_F(DiskCacheOfARuntime, DistinguishesLoadsFromCompiles) {
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::compiled);
  fs::remove(options_.event_log);
  EXPECT_EQ(origin_of_scale({{"factor", 3}}, 3), VariantOrigin::disk);
  EXPECT_THAT(events(), HasSubstr(R"("event":"load")"));
  EXPECT_THAT(events(), Not(HasSubstr(R"("event":"compile")")));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <fstream>
#include <map>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers/arithmetic.h"

namespace {

struct Symbol {
  std::uintptr_t begin = 0;
  std::uintptr_t size = 0;
};

std::string perf_map() { return "/tmp/perf-" + std::to_string(getpid()) + ".map"; }

/// Maps names to address ranges, read from this process's perf map.
std::map<std::string, Symbol> perf_symbols() {
  std::map<std::string, Symbol> symbols;
  std::ifstream file(perf_map());
  Symbol symbol;
  std::string name;
  while (file >> std::hex >> symbol.begin >> symbol.size && std::getline(file >> std::ws, name))
    symbols[name] = symbol;
  return symbols;
}

TEST(PerfMap, NamesVariantsWithTheirPlaces) {
  sartor::Options options;
  options.perf = sartor::PerfNames::map;
  {
    sartor::Runtime runtime(options);
    auto call = runtime.handler<&scale>();
    (void)call.function();
    runtime.specialize({{"factor", 3}, {"common", 1}});
  }
  const auto symbols = perf_symbols();
  std::filesystem::remove(perf_map());
  ASSERT_TRUE(symbols.contains("scale{common=1,factor=3}"));
  EXPECT_GT(symbols.at("scale{common=1,factor=3}").begin, 0U);
  EXPECT_GT(symbols.at("scale{common=1,factor=3}").size, 0U);
  EXPECT_TRUE(symbols.contains("shift{common=1}"));
  EXPECT_TRUE(symbols.contains("scale (entry)"));
}

TEST(PerfMap, IsNotWrittenUnasked) {
  std::filesystem::remove(perf_map());
  {
    sartor::Runtime runtime;
    runtime.specialize({{"factor", 3}});
  }
  EXPECT_FALSE(std::filesystem::exists(perf_map()));
}

TEST(PerfMap, IsWrittenWhenTheEnvironmentSays) {
  setenv("SARTOR_PERF", "map", 1);
  {
    sartor::Runtime runtime;
    runtime.specialize({{"factor", 3}});
  }
  unsetenv("SARTOR_PERF");
  EXPECT_TRUE(perf_symbols().contains("scale{factor=3}"));
  std::filesystem::remove(perf_map());
}

TEST(PerfMap, IsNotWrittenWhenTheEnvironmentSaysWhatThereIsNot) {
  std::filesystem::remove(perf_map());
  setenv("SARTOR_PERF", "mapp", 1);
  testing::internal::CaptureStderr();
  {
    sartor::Runtime runtime;
    runtime.specialize({{"factor", 3}});
  }
  unsetenv("SARTOR_PERF");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("SARTOR_PERF=mapp"));
  EXPECT_FALSE(std::filesystem::exists(perf_map()));
}

TEST(JitDump, HoldsTheNamesOfVariants) {
  const std::filesystem::path folder =
      testing::TempDir() + "sartor_jitdump_" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  setenv("JITDUMPDIR", folder.c_str(), 1);
  sartor::Options options;
  options.perf = sartor::PerfNames::dump;
  {
    sartor::Runtime runtime(options);
    runtime.specialize({{"factor", 3}});
  }
  unsetenv("JITDUMPDIR");
  std::string dump;
  if (std::filesystem::exists(folder))
    for (const auto &file : std::filesystem::recursive_directory_iterator(folder))
      if (file.path().extension() == ".dump")
        dump.assign(std::istreambuf_iterator(std::ifstream(file.path()).rdbuf()), {});
  std::filesystem::remove_all(folder);
  ASSERT_GE(dump.size(), 4U);
  EXPECT_EQ(dump.substr(0, 4), "DTiJ"); // the magic number in little-endian order
  EXPECT_THAT(dump, testing::HasSubstr("scale{factor=3}"));
}

} // namespace

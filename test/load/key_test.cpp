// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/format/key.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace sartor::loader {
namespace {

/// The key of a run with this environment.
std::uint64_t key_with(const std::vector<std::string> &variables, const char *directory = "/one",
                       const char *settings = "", std::uint64_t inode = 7) {
  std::vector<const char *> environment;
  for (const std::string &variable : variables)
    environment.push_back(variable.c_str());
  environment.push_back(nullptr);
  return key_of({.program = {.inode = inode, .size = 1, .modified = 2, .changed = 3},
                 .path = "/bin/program",
                 .settings = settings,
                 .directory = directory,
                 .environment = environment.data()});
}

TEST(Key, KnowsWhatChangesWhatTheStockLoaderDoes) {
  const std::uint64_t plain = key_with({});
  for (const char *variable : {"LD_LIBRARY_PATH=/lib", "LD_PRELOAD=libone.so", "LD_DYNAMIC_WEAK=1",
                               "LD_HWCAP_MASK=0", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2"})
    EXPECT_NE(key_with({variable}), plain) << variable;
  EXPECT_NE(key_with({"LD_PRELOAD=a"}), key_with({"LD_PRELOAD=b"}));
}

TEST(Key, DoesNotKnowWhatTheStockLoaderOnlyReports) {
  const std::uint64_t plain = key_with({});
  for (const char *variable : {"LD_DEBUG=libs", "LD_DEBUG_OUTPUT=/tmp/x", "LD_ANYTHING=1",
                               "LD_BIND_NOW=1", "LD_WARN=1", "PATH=/bin", "LD_PRELOADED=1"})
    EXPECT_EQ(key_with({variable}), plain) << variable;
}

TEST(Key, KnowsWhereSettingsAre) {
  EXPECT_NE(key_with({"HOME=/a"}), key_with({"HOME=/b"}));
  EXPECT_NE(key_with({"XDG_CONFIG_HOME=/a"}), key_with({"XDG_CONFIG_HOME=/b"}));
  EXPECT_EQ(key_with({"HOME=/a", "XDG_CONFIG_HOME=/c"}),
            key_with({"HOME=/b", "XDG_CONFIG_HOME=/c"}));
  EXPECT_NE(key_with({}, "/one", "--strict\n"), key_with({}));
}

TEST(Key, KnowsTheDirectoryWhereItMatters) {
  const auto matters = [](const char *variable) {
    return key_with({variable}, "/one") != key_with({variable}, "/two");
  };
  for (const char *variable :
       {"LD_LIBRARY_PATH=lib", "LD_LIBRARY_PATH=/lib:", "LD_LIBRARY_PATH=:/lib",
        "LD_LIBRARY_PATH=/lib;./x", "LD_PRELOAD=./one.so", "LD_PRELOAD=/a.so b/c.so"})
    EXPECT_TRUE(matters(variable)) << variable;
  for (const char *variable :
       {"LD_LIBRARY_PATH=/lib:/usr/lib", "LD_LIBRARY_PATH=", "LD_LIBRARY_PATH=$ORIGIN/lib",
        "LD_PRELOAD=libone.so", "LD_PRELOAD=libone.so:/two.so", "LD_PRELOAD=", "PATH=."})
    EXPECT_FALSE(matters(variable)) << variable;
}

TEST(Key, KnowsTheProgramByItsInode) {
  EXPECT_NE(key_with({}, "/one", "", 7), key_with({}, "/one", "", 8));
}

TEST(Key, IsTheSameEachTime) { EXPECT_EQ(key_with({"HOME=/a"}), key_with({"HOME=/a"})); }

} // namespace
} // namespace sartor::loader

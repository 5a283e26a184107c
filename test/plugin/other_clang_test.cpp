// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads the plugin into a program that says to be a clang of another version.
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "paths.h"

namespace {

std::string version; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): what clang says

} // namespace

namespace clang {

std::string getClangFullVersion(); // NOLINT(readability-identifier-naming): clang's name
std::string getClangFullVersion() { return version; }

} // namespace clang

namespace {

/// Loads the plugin, and ends with status 0 if that is possible.
[[noreturn]] void load_into(const std::string &clang) {
  version = clang;
  _exit(dlopen(paths::plugin().c_str(), RTLD_LAZY | RTLD_GLOBAL) ? 0 : 2);
}

void expect_refusal_by(const std::string &other, const std::string &needed) {
  EXPECT_EXIT(load_into("Debian clang version " + other + ".1.7 (3)"), testing::ExitedWithCode(1),
              "^error: sartor: wrong_llvm_version: \"SartorPlugin.so\": is for clang " + needed +
                  ", this is Debian clang version " + other +
                  "[.]1[.]7 [(]3[)] [(]compile with clang-" + needed +
                  ", or install a Sartor for clang " + other + "[)]\n$");
}

TEST(Plugin, NamesBothVersionsToAnotherClang) {
  const std::string needed = std::to_string(SARTOR_LLVM_VERSION);
  for (const char *const other : {"18", "19", "20", "21", "22", "23", "99"})
    if (other != needed)
      expect_refusal_by(other, needed);
}

TEST(Plugin, IsLoadedByItsClang) {
  for (const std::string before : {"", "Debian ", "Ubuntu "})
    EXPECT_EXIT(load_into(before + "clang version " + std::to_string(SARTOR_LLVM_VERSION) + ".9.9"),
                testing::ExitedWithCode(0), "^$");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ends a clang of another version than the plugin's, which would crash: its classes differ from
/// those that the plugin is compiled for.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>

#include "base/result.h"

namespace sartor::compiler {

namespace {

/// Returns what the clang that loads the plugin says of itself; nothing if that is no clang. The
/// plugin's own library of clang may be another one, so that the function is looked up by name.
std::string version_of_clang() {
  void *function = dlsym(RTLD_DEFAULT, "_ZN5clang19getClangFullVersionB5cxx11Ev");
  return function ? reinterpret_cast<std::string (*)()>(function)() : "";
}

// Returns the major version in a text such as "Debian clang version 22.1.8 (1)"; 0 if it has none.
unsigned major_version(const std::string &text) {
  constexpr std::string_view before = "clang version ";
  const std::size_t at = text.find(before);
  unsigned version = 0;
  if (at != std::string::npos)
    std::from_chars(text.data() + at + before.size(), text.data() + text.size(), version);
  return version;
}

// Runs before the plugin's other initializers, which clang's libraries take part in.
[[gnu::constructor(101)]] void check_clang() {
  const std::string found = version_of_clang();
  const unsigned version = major_version(found);
  if (version == 0 || version == LLVM_VERSION_MAJOR)
    return;
  const std::string needed = std::to_string(LLVM_VERSION_MAJOR);
  const Failure failure{ErrorCode::wrong_llvm_version, "SartorPlugin.so",
                        "is for clang " + needed + ", this is " + found,
                        "compile with clang-" + needed + ", or install a Sartor for clang " +
                            std::to_string(version)};
  std::fputs(("error: sartor: " + failure.text() + '\n').c_str(), stderr);
  std::_Exit(EXIT_FAILURE);
}

} // namespace

} // namespace sartor::compiler

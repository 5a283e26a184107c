// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/toolchain.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "tools/cc/hot_functions.h"
#include "tools/cc/listed.h"

namespace sartor::cc {

namespace {

namespace fs = std::filesystem;

std::string from_environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::optional<fs::path> found(const std::string &program) {
  if (program.contains('/'))
    return access(program.c_str(), X_OK) == 0 ? std::optional<fs::path>(program) : std::nullopt;
  const std::string path = from_environment("PATH");
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, end)) / program;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return std::nullopt;
}

void add_declarations(Toolchain &tools, std::string_view list) {
  const Words files = listed(list);
  tools.declarations.insert(tools.declarations.end(), files.begin(), files.end());
}

constexpr std::string_view kAuto = "-fsartor-auto=";

bool is_own(const std::string &word) {
  return word.starts_with("--sartor-") || word.starts_with("-fsartor-");
}

Result<void> take_own(Toolchain &tools, const std::string &word) {
  constexpr std::string_view kCompiler = "--sartor-cc=";
  constexpr std::string_view kDeclarations = "--sartor-declarations=";
  if (word == "--sartor-watch")
    tools.watches_all = true;
  else if (word.starts_with(kCompiler))
    tools.compiler = words_of(std::string_view(word).substr(kCompiler.size()));
  else if (word.starts_with(kDeclarations))
    add_declarations(tools, std::string_view(word).substr(kDeclarations.size()));
  else if (word.starts_with(kAuto) && word.size() > kAuto.size())
    tools.profiles.push_back(word.substr(kAuto.size()));
  else
    return std::unexpected(Failure{ErrorCode::bad_argument, word, "is not an option of sartor-cc",
                                   "use --sartor-cc=COMPILER, --sartor-watch, "
                                   "--sartor-declarations=FILE or -fsartor-auto=FILE; see --help"});
  return {};
}

// Fails if the compiler is this program, which would start itself forever.
Result<void> check_compiler(const Toolchain &tools, const fs::path &self) {
  const std::string where = tools.is_cxx ? "SARTOR_CXX" : "SARTOR_CC";
  for (const std::string &word : tools.compiler) {
    std::error_code error;
    const auto program = found(word);
    if (program && fs::equivalent(*program, self, error))
      return std::unexpected(Failure{ErrorCode::bad_argument, word, "is sartor-cc itself",
                                     "name the other compiler in " + where});
  }
  return {};
}

} // namespace

Words Toolchain::dependencies() const {
  Words files = {plugin};
  files.insert(files.end(), declarations.begin(), declarations.end());
  files.insert(files.end(), profiles.begin(), profiles.end());
  return files;
}

const char *clang() { return "clang-" SARTOR_LLVM_VERSION; }

bool Toolchain::compiles_by_clang() const {
  return std::ranges::any_of(compiler, [](const std::string &word) {
    std::error_code error;
    const auto program = found(word);
    return program && fs::canonical(*program, error).filename().string().contains("clang");
  });
}

Result<Toolchain> toolchain(const std::string &program, Words &words) {
  Toolchain tools;
  tools.is_cxx = program.ends_with("++");
  tools.compiler = words_of(from_environment(tools.is_cxx ? "SARTOR_CXX" : "SARTOR_CC"));
  add_declarations(tools, from_environment("SARTOR_DECLARATIONS"));

  Words others;
  for (std::string &word : words) {
    if (!is_own(word)) {
      others.push_back(std::move(word));
    } else if (const auto taken = take_own(tools, word); !taken) {
      return std::unexpected(taken.error());
    }
  }
  words = std::move(others);
  if (tools.compiler.empty())
    tools.compiler = {tools.is_cxx ? "c++" : "cc"};

  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (const auto checked = check_compiler(tools, self); !checked)
    return std::unexpected(checked.error());
  const fs::path bin = self.parent_path();
  const fs::path libraries = (bin / SARTOR_LIBRARIES_FROM_PROGRAMS).lexically_normal();
  tools.libraries = libraries;
  tools.headers = (bin / SARTOR_HEADERS_FROM_PROGRAMS).lexically_normal();
  // In an installation, or in the build directory.
  tools.plugin = libraries / "sartor" / "SartorPlugin.so";
  if (!fs::exists(tools.plugin, error) && fs::exists(libraries / "SartorPlugin.so", error))
    tools.plugin = libraries / "SartorPlugin.so";
  return tools;
}

Result<void> check(const Toolchain &tools) {
  std::error_code error;
  if (!found(clang()))
    return std::unexpected(Failure{ErrorCode::no_clang, clang(), "is not installed",
                                   "apt-get install clang-" SARTOR_LLVM_VERSION});
  if (!fs::exists(tools.plugin, error))
    return std::unexpected(Failure{ErrorCode::file_error, tools.plugin, "is missing",
                                   "install Sartor as a whole, and move it as a whole"});
  for (const std::string &file : tools.declarations)
    if (access(file.c_str(), R_OK) != 0)
      return std::unexpected(Failure{ErrorCode::file_error, file, "cannot be read",
                                     "name a file of declarations by an absolute path"});
  return {};
}

Result<void> read_profiles(Toolchain &tools) {
  for (const std::string &file : tools.profiles) {
    const auto functions = hot_functions(file);
    if (!functions)
      return std::unexpected(functions.error());
    for (const std::string &function : *functions)
      if (std::ranges::find(tools.hot_functions, function) == tools.hot_functions.end())
        tools.hot_functions.push_back(function);
  }
  return {};
}

Words link_words(const Toolchain &tools) {
  Words words = {"-L" + tools.libraries, "-Wl,--push-state,--as-needed", "-lsartor",
                 "-Wl,--pop-state"};
  if (!tools.libraries.starts_with("/usr/lib"))
    words.push_back("-Wl,-rpath," + tools.libraries);
  return words;
}

} // namespace sartor::cc

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/toolchain.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/result.h"
#include "tools/cc/listed.h"
#include "tools/cc/response_file.h"
#include "tools/cc/text_of.h"

namespace sartor::cc {

namespace {

constexpr double kLeastPercent = 1;
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

template <class Visit> void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

std::optional<double> number_in(std::string_view word) {
  if (word.ends_with('%'))
    word.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  return number;
}

// Removes a number at the end of a line.
std::string_view without_number(std::string_view line) {
  const auto blank = line.find_last_of(kBlanks);
  if (blank != std::string_view::npos && number_in(line.substr(blank + 1)))
    return trimmed(line.substr(0, blank));
  return line;
}

// Only few qualified names have blanks in them.
bool is_name(std::string_view name) {
  return !number_in(name) && (name.find_first_of(kBlanks) == std::string_view::npos ||
                              name.contains("operator") || name.contains("(anonymous "));
}

void add_once(Words &names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end())
    names.emplace_back(name);
}

// Compilers append suffixes to parts and copies of a function, the linker to imported functions.
std::string_view without_suffix(std::string_view symbol) {
  return symbol.substr(0, symbol.find_first_of(".@", 1));
}

/// The percentages of one recorded event.
class Shares {
public:
  // 12.34%<tab>program<tab>[.] symbol
  void add(std::string_view line) {
    const auto first = line.find('\t');
    const auto last = line.rfind('\t');
    constexpr std::string_view kInUserSpace = "[.] ";
    if (first == std::string_view::npos || last == first)
      return;
    std::string_view symbol = trimmed(line.substr(last));
    const auto percent = number_in(trimmed(line.substr(0, first)));
    if (!percent || !symbol.starts_with(kInUserSpace))
      return;
    symbol = trimmed(symbol.substr(kInUserSpace.size()));
    if (symbol.empty() || symbol.starts_with("0x") || symbol.starts_with('['))
      return;
    const std::string name(without_suffix(symbol));
    const auto known = std::ranges::find(percents_, name, &Share::name);
    if (known == percents_.end())
      percents_.push_back({name, *percent});
    else
      known->percent += *percent;
  }

  void take_hot(Words &names) {
    for (const Share &share : percents_)
      if (share.percent >= kLeastPercent)
        add_once(names, share.name);
    percents_.clear();
  }

private:
  struct Share {
    std::string name;
    double percent;
  };
  std::vector<Share> percents_;
};

struct Output {
  int status = 0;
  std::string text;
  std::string errors;
};

// Returns what a program prints, and the error of starting it.
std::pair<Output, int> output_of(const Words &command) {
  Output output;
  int ends[2] = {-1, -1};
  const int errors = memfd_create("sartor-cc", MFD_CLOEXEC);
  if (errors < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    const int error = errno;
    close(errors);
    return {output, error};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawnp(&process, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) {
    output.text = text_of(ends[0]);
    while (waitpid(process, &output.status, 0) < 0 && errno == EINTR)
      continue;
    lseek(errors, 0, SEEK_SET);
    output.errors = text_of(errors);
  }
  close(ends[0]);
  close(errors);
  return {output, error};
}

std::string last_line(std::string_view text) {
  std::string last;
  for_each_line(text, [&](std::string_view line) {
    if (!line.empty())
      last = line;
  });
  return last;
}

Failure names_nothing(const std::string &file, const char *what) {
  return {ErrorCode::bad_argument, file, what,
          "record the running program with perf record, with its symbols, or list functions, one a "
          "line"};
}

/// Returns the functions with at least one percent of the samples, by their linker names, from the
/// output of `perf report` with the fields overhead, dso and sym, separated by tabs. Functions of
/// the kernel and addresses without a name are left out. A function's percentages are added: the
/// compiler may have split it. If several events were recorded, one of them is enough.
Words profiled_functions(std::string_view report) {
  Words names;
  Shares shares;
  for_each_line(report, [&](std::string_view line) {
    if (line.starts_with("# Samples:")) // of the next event
      shares.take_hot(names);
    else if (!line.starts_with('#'))
      shares.add(line);
  });
  shares.take_hot(names);
  return names;
}

Result<Words> functions_of_profile(const std::string &file) {
  const Words command = {
      "perf", "report", "--force",     "--stdio", "--no-children",    "--no-demangle",
      "-g",   "none",   "--no-inline", "-F",      "overhead,dso,sym", "-t",
      "\t",   "-i",     file};
  const auto [output, error] = output_of(command);
  if (error != 0)
    return std::unexpected(Failure{
        ErrorCode::file_error, "perf",
        "cannot be executed: " + std::error_code(error, std::generic_category()).message(),
        "install perf, which reads " + file + ", or list the functions in a file, one a line"});
  if (output.status != 0)
    return std::unexpected(Failure{
        ErrorCode::file_error, file, "perf report cannot read it: " + last_line(output.errors),
        "record it with the installed perf, or list the functions in a file, one a line"});
  Words names = profiled_functions(output.text);
  if (names.empty())
    return std::unexpected(
        names_nothing(file, "shows no function of the program with 1 % of the samples"));
  return names;
}

/// Returns the functions of a list: linker names, or qualified names as in the source. `name` is
/// for messages. Fails with bad_argument for a line that is no function, or if there are none.
Result<Words> listed_functions(std::string_view text, const std::string &name) {
  Words names;
  std::size_t number = 0;
  std::size_t wrong = text.contains('\0') ? 1 : 0;
  for_each_line(text, [&](std::string_view line) {
    ++number;
    if (line.empty() || line.starts_with('#'))
      return;
    const std::string_view function = without_number(line);
    if (!is_name(function))
      wrong = wrong == 0 ? number : wrong;
    add_once(names, function);
  });
  if (wrong != 0)
    return std::unexpected(Failure{ErrorCode::bad_argument, name + ":" + std::to_string(wrong),
                                   "is not the name of a function",
                                   "write a function a line, or give a profile of perf record"});
  if (names.empty())
    return std::unexpected(names_nothing(name, "names no function"));
  return names;
}

/// Returns the functions that -fsartor-auto=FILE names: those of a list or of a profile of perf.
/// Fails with file_error or bad_argument, also if the file names no function.
Result<Words> hot_functions(const std::string &file) {
  constexpr std::string_view kMagic = "PERFILE2";
  std::string begin(kMagic.size(), '\0');
  std::ifstream(file, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin == kMagic)
    return functions_of_profile(file);
  const auto text = text_of(file);
  if (!text)
    return std::unexpected(Failure{ErrorCode::file_error, file, "cannot be read",
                                   "name a profile of perf record, or a list of functions, by an "
                                   "absolute path"});
  return listed_functions(*text, file);
}

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

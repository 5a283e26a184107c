// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/hot_functions.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
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

} // namespace

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

} // namespace sartor::cc

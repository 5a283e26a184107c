// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/driver.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/result.h"
#include "tools/cc/clang_words.h"
#include "tools/cc/response_file.h"
#include "tools/cc/text_of.h"
#include "tools/temporary_directory.h"

namespace sartor::cc {

namespace {

std::atomic<pid_t> running = 0;

void pass_on(int signal) {
  if (const pid_t process = running; process > 0)
    kill(process, signal);
}

std::vector<char *> pointers(const Words &command) {
  std::vector<char *> pointers;
  for (const std::string &word : command)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Failure not_started(const Words &command, int error) {
  return {ErrorCode::file_error, command.front(),
          "cannot be executed: " + std::error_code(error, std::generic_category()).message(),
          "install it, or name another compiler in SARTOR_CC or SARTOR_CXX"};
}

/// Replaces this process by another program; returns only on failure.
Failure become(const Words &command) {
  execvp(command.front().c_str(), pointers(command).data());
  return not_started(command, errno);
}

/// Runs a program to its end, and forwards signals that would end this process. Returns its status
/// as a shell does: after a signal, 128 plus the signal's number.
Result<int> run(const Words &command) {
  // The child ends first, so that this process can remove its files.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      action.sa_handler = pass_on;
      sigaction(signal, &action, nullptr);
    }
  }
  pid_t process = 0;
  const int error = posix_spawnp(&process, command.front().c_str(), nullptr, nullptr,
                                 pointers(command).data(), environ);
  if (error != 0)
    return std::unexpected(not_started(command, error));
  running = process;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    continue;
  running = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

using Result_ = Command::Result;

// Returns comments for compiler caches, which find dependencies by preprocessing and must also
// include the plugin, declarations and profiles. They do not take names in angle brackets for
// files.
std::string markers(const Toolchain &tools) {
  std::string text;
  for (const std::string &file : tools.dependencies()) {
    struct stat status{};
    if (stat(file.c_str(), &status) != 0)
      continue;
    text += "# 1 \"" + file + "\"\n# 1 \"<sartor " + std::to_string(status.st_size) + " " +
            std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) +
            ">\"\n";
  }
  return text;
}

// Returns the name that gcc gives the file of dependencies of one source of a program. With -o, gcc
// writes those of all sources to the same file, one after the other; here, each source has its own.
std::string dependencies_of(const Command &command, const std::string &source) {
  const std::filesystem::path program = command.output.value_or("a.out");
  const bool is_alone = std::ranges::count_if(command.inputs, &Command::Input::is_source) == 1;
  std::string name = program.stem();
  if (!command.output || !is_alone)
    name += "-" + std::filesystem::path(source).stem().string();
  return program.parent_path() / (name + ".d");
}

} // namespace

Driver::Driver(Toolchain tools, Words given)
    : tools_(std::move(tools)), given_(std::move(given)), command_(read_command(expanded(given_))) {
}

Result<int> Driver::compile() {
  // It prints the commands of the user's compiler; clang would print others.
  if (std::ranges::count(command_.words, "-###") > 0)
    return std::unexpected(hand_over(false));
  if (const auto taken = take_standard_input(); !taken)
    return std::unexpected(taken.error());
  look();
  if (const auto possible = check_link(); !possible)
    return std::unexpected(possible.error());
  if (ours_.empty())
    return std::unexpected(hand_over(command_.is_linked()));
  // Several sources cannot have one output; the user's compiler reports that.
  if (has_others_ && command_.output && !command_.is_linked())
    return std::unexpected(hand_over(false));
  if (const auto checked = check(tools_); !checked)
    return std::unexpected(checked.error());
  if (const auto read = read_profiles(tools_); !read)
    return std::unexpected(read.error());
  return command_.is_linked() ? compile_and_link() : compile_apart();
}

// Standard input can be read only once, so the compiler gets a copy.
Result<void> Driver::take_standard_input() {
  const bool is_read = std::ranges::any_of(command_.inputs, [&](const Command::Input &input) {
    const std::string &name = command_.name(input);
    return input.is_source && (name == "-" || name == "/dev/stdin" || name == "/dev/fd/0");
  });
  if (!is_read)
    return {};
  standard_input_ = text_of(STDIN_FILENO);
  const int copy = memfd_create("sartor-cc", MFD_CLOEXEC);
  std::size_t written = 0;
  while (copy >= 0 && written < standard_input_.size()) {
    const ssize_t count =
        write(copy, standard_input_.data() + written, standard_input_.size() - written);
    if (count < 0 && errno != EINTR)
      break;
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  if (copy < 0 || written < standard_input_.size() || lseek(copy, 0, SEEK_SET) != 0 ||
      dup2(copy, STDIN_FILENO) < 0)
    return std::unexpected(
        Failure{ErrorCode::file_error, "standard input",
                "cannot be copied: " + std::error_code(errno, std::generic_category()).message(),
                "compile a file"});
  return {};
}

// Objects with automatic handlers call libsartor.
Result<void> Driver::check_link() const {
  const auto option = std::ranges::find_if(command_.words, [](const std::string &word) {
    return word == "-static" || word == "-static-pie";
  });
  if (tools_.profiles.empty() || !command_.is_linked() || option == command_.words.end())
    return {};
  return std::unexpected(
      Failure{ErrorCode::bad_argument, *option,
              "cannot be combined with -fsartor-auto: libsartor is a shared library",
              "link with shared libraries, or compile and link without -fsartor-auto"});
}

void Driver::look() {
  for (const Command::Input &input : command_.inputs) {
    if (!input.is_source)
      continue;
    const Seen seen = look_at(command_, tools_.headers, input, standard_input_);
    seen_.header |= seen.header;
    if (!seen.needs_plugin() && !tools_.takes_all()) {
      has_others_ = true;
      continue;
    }
    seen_.points |= seen.points;
    seen_.watched |= seen.watched;
    ours_.push_back(input);
  }
}

bool Driver::is_left_out(std::size_t word) const {
  const auto is_prefix = [](const std::string &text) {
    return text == "-Xclang" || text == "-mllvm";
  };
  const Words &words = command_.words;
  return (is_prefix(words[word]) || (word > 0 && is_prefix(words[word - 1]))) &&
         !tools_.compiles_by_clang();
}

Failure Driver::hand_over(bool is_linked) const {
  Words words = tools_.compiler;
  Words known;
  for (std::size_t i = 0; i < command_.words.size(); ++i)
    if (!is_left_out(i))
      known.push_back(command_.words[i]);
  // The original words, with response files, if all are known.
  const Words &more = known.size() == command_.words.size() ? given_ : known;
  words.insert(words.end(), more.begin(), more.end());
  add_own_words(words, is_linked);
  return become(words);
}

void Driver::add_own_words(Words &words, bool is_linked) const {
  if (seen_.header)
    words.insert(words.end(), {"-idirafter", tools_.headers});
  if (is_linked && command_.links_runtime) {
    const Words more = link_words(tools_);
    words.insert(words.end(), more.begin(), more.end());
  }
}

Result<int> Driver::compile_apart() {
  const auto clang = clang_words(tools_, command_, ours_, seen_);
  if (!clang)
    return std::unexpected(clang.error());
  if (command_.result == Result_::preprocessed)
    return preprocess(*clang);
  if (!has_others_)
    return std::unexpected(become(*clang));
  const auto status = run(*clang);
  if (!status || *status != 0)
    return status;
  return run(others_words({}));
}

Result<int> Driver::preprocess(const Words &clang) const {
  const auto status = run(clang);
  if (!status || *status != 0)
    return status;
  if (has_others_)
    return run(others_words({}));
  if (!command_.has_line_markers)
    return 0;
  const std::string text = markers(tools_);
  if (command_.output && *command_.output != "-")
    std::ofstream(*command_.output, std::ios::app) << text;
  else
    std::cout << text << std::flush;
  return 0;
}

Result<int> Driver::compile_and_link() {
  const tools::TemporaryDirectory directory("sartor-cc");
  if (directory.path().empty())
    return std::unexpected(Failure{ErrorCode::file_error, "TMPDIR", "cannot be written to",
                                   "name a writable directory"});
  std::vector<Made> made;
  for (const Command::Input &input : ours_) {
    auto clang = clang_words(tools_, command_, {input}, seen_);
    if (!clang)
      return std::unexpected(clang.error());
    const std::string &source = command_.name(input);
    made.push_back({input.index, directory.path() + "/" + std::to_string(made.size()) + ".o"});
    // Debug information next to the temporary object would be removed with it.
    clang->insert(clang->end(), {"-c", "-gno-split-dwarf", "-o", made.back().object});
    if (command_.writes_dependencies)
      clang->insert(clang->end(), {"-MF", dependencies_of(command_, source)});
    // Not the temporary object.
    if (command_.has_unnamed_target)
      clang->insert(clang->end(), {"-MQ", command_.output.value_or("a.out")});
    const auto status = run(*clang);
    if (!status || *status != 0)
      return status;
  }
  return run(others_words(made));
}

Words Driver::others_words(const std::vector<Made> &made) const {
  Words words = tools_.compiler;
  for (std::size_t i = 0; i < command_.words.size(); ++i) {
    const auto ours = std::ranges::find(ours_, i, &Command::Input::index);
    const auto object = std::ranges::find(made, i, &Made::index);
    if (is_left_out(i))
      continue;
    if (ours == ours_.end())
      words.push_back(command_.words[i]);
    else if (object != made.end() && ours->language.empty())
      words.push_back(object->object);
    else if (object != made.end())
      words.insert(words.end(), {"-x", "none", object->object, "-x", ours->language});
  }
  add_own_words(words, command_.is_linked());
  return words;
}

} // namespace sartor::cc

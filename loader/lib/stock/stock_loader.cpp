// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/stock/stock_loader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace sartor::loader {

namespace {

std::unexpected<Failure> failure(const std::filesystem::path &program, std::string what,
                                 std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, program.string(), std::move(what), std::move(remedy)});
}

/// Runs a program without a shell, and reads its standard output and standard error.
Result<std::string> output_of(const std::vector<std::string> &command, int &status) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return failure(command.front(), std::strerror(errno), "");
  std::vector<char *> arguments;
  for (const std::string &each : command)
    arguments.push_back(const_cast<char *>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  if (error == 0) {
    std::array<char, 4096> buffer;
    for (ssize_t size; (size = read(ends[0], buffer.data(), buffer.size())) > 0;)
      output.append(buffer.data(), static_cast<std::size_t>(size));
    waitpid(child, &status, 0);
  }
  close(ends[0]);
  if (error != 0)
    return failure(command.front(), std::strerror(error), "install libc6");
  return output;
}

/// Reads a line: `name => path (0x7f...)`, `path (0x7f...)`, `name => not found`.
void read_line(std::string_view line, LibraryList &list) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::string_view name = line;
  if (const auto arrow = line.find(" => "); arrow != std::string_view::npos) {
    name = line.substr(0, arrow);
    line.remove_prefix(arrow + 4);
  }
  if (line == "not found") {
    list.missing.emplace_back(name);
    return;
  }
  line = line.substr(0, line.rfind(" (0x"));
  if (line.contains('/')) // the vDSO has no path; others may have a relative one
    list.found.push_back(std::filesystem::absolute(line).lexically_normal());
}

} // namespace

Result<LibraryList> list_libraries(const std::filesystem::path &program) {
  int status = 0;
  // Like the kernel, resolve links first: files next to a program are next to its file, not next to
  // a link to it.
  const std::filesystem::path file = std::filesystem::weakly_canonical(program);
  const auto output = output_of({stock_loader, "--list", file.string()}, status);
  if (!output)
    return std::unexpected(output.error());
  LibraryList list;
  std::istringstream lines(*output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('\t'))
      read_line(line, list);
  if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && list.missing.empty()))
    return failure(program, "the stock loader does not take it: " + *output,
                   "see whether the program runs without Sartor");
  return list;
}

bool takes_readonly_dynamic_sections(const ElfFile &loader) {
  // glibc 2.35 introduced it (l_ld_readonly), along with symbols of the loader with this version.
  return std::ranges::any_of(loader.symbols(), [](const Symbol &symbol) {
    return symbol.is_defined && symbol.version == "GLIBC_2.35";
  });
}

} // namespace sartor::loader

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/captured_run.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file_handle.h"

namespace sartor::cli {

namespace {

std::string content_of(int file) {
  std::string content;
  char part[4096];
  ssize_t size = 0;
  for (off_t at = 0; (size = pread(file, part, sizeof part, at)) > 0; at += size)
    content.append(part, static_cast<std::size_t>(size));
  return content;
}

std::vector<char *> pointers_to(std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::unexpected<Failure> failed(const std::string &command, int error) {
  return std::unexpected(Failure{ErrorCode::file_error, command,
                                 std::string("cannot be run: ") + std::strerror(error),
                                 "name a program"});
}

/// True if the process has ended in time.
bool wait_for(pid_t process, std::chrono::milliseconds limit) {
  const base::FileHandle handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  pollfd ended{handle.get(), POLLIN, 0};
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    const int ready = poll(&ended, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready >= 0 || errno != EINTR)
      return ready > 0;
  }
}

std::string text_of_status(int status) {
  if (WIFSIGNALED(status))
    return std::string("signal ") + strsignal(WTERMSIG(status));
  return std::to_string(WEXITSTATUS(status));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Compares the lines of a part in which the first two runs agree.
void compare(const std::string &name, const std::string &once, const std::string &again,
             const std::string &other, RunDifference &found) {
  const auto first = lines_of(once);
  const auto second = lines_of(again);
  const auto third = lines_of(other);
  if (first.size() != second.size()) {
    found.not_compared.push_back(name);
    return;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string line = "line " + std::to_string(i + 1) + " of " + name;
    if (first[i] != second[i])
      found.not_compared.push_back(line);
    else if (i >= third.size() || third[i] != first[i]) {
      found.differing.push_back(line);
      return;
    }
  }
  if (third.size() > first.size())
    found.differing.push_back("line " + std::to_string(first.size() + 1) + " of " + name);
}

} // namespace

Result<CapturedRun> run_captured(const std::vector<std::string> &command,
                                 const std::vector<std::string> &variables,
                                 const std::vector<std::string> &files,
                                 std::chrono::milliseconds limit) {
  const base::FileHandle output(memfd_create("output", MFD_CLOEXEC));
  const base::FileHandle errors(memfd_create("errors", MFD_CLOEXEC));
  if (output.get() < 0 || errors.get() < 0)
    return failed(command.front(), errno);
  std::vector<std::string> words = command;
  std::vector<std::string> environment = variables;
  for (char **each = environ; *each; ++each) {
    const std::string_view variable(*each);
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    if (std::ranges::none_of(variables, [&](const auto &own) { return own.starts_with(name); }))
      environment.emplace_back(variable);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // so that its children end, too
  pid_t process = 0;
  const int error = posix_spawnp(&process, words.front().c_str(), &actions, &attributes,
                                 pointers_to(words).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return failed(command.front(), error);
  CapturedRun run;
  run.is_late = !wait_for(process, limit);
  kill(-process, SIGKILL);
  while (waitpid(process, &run.status, 0) < 0 && errno == EINTR)
    ;
  run.parts["exit status"] = text_of_status(run.status);
  run.parts["standard output"] = content_of(output.get());
  run.parts["standard error"] = content_of(errors.get());
  for (const std::string &path : files) {
    std::ifstream file(path, std::ios::binary);
    run.parts[path] = {std::istreambuf_iterator<char>(file), {}};
  }
  return run;
}

RunDifference difference_of(const CapturedRun &once, const CapturedRun &again,
                            const CapturedRun &other) {
  RunDifference found;
  if (other.is_late) {
    found.differing.emplace_back("the end: it does not end in time");
    return found;
  }
  for (const auto &[name, content] : once.parts)
    compare(name, content, again.parts.at(name), other.parts.at(name), found);
  return found;
}

} // namespace sartor::cli

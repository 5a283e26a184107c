// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sartor::cli {

namespace {

Failure not_started(const std::string &program, int error) {
  return {ErrorCode::file_error, program,
          "cannot be executed: " + std::error_code(error, std::generic_category()).message(),
          "install it, or add its directory to PATH"};
}

/// Starts a program that writes to `output`. Returns zero or an errno.
int start(std::vector<std::string> words, int output, pid_t &child) {
  std::vector<char *> arguments;
  std::ranges::transform(words, std::back_inserter(arguments),
                         [](std::string &word) { return word.data(); });
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  const int error =
      posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Reads until the other end is closed. Returns false if that takes longer than `limit`.
bool read_all(int pipe, std::chrono::seconds limit, std::string &text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (ready == 0)
      return false;
    const ssize_t more = ready < 0 ? -1 : read(pipe, buffer.data(), buffer.size());
    if (more > 0)
      text.append(buffer.data(), static_cast<std::size_t>(more));
    else if (more == 0 || errno != EINTR)
      return true;
  }
}

} // namespace

std::string Ended::first_line() const { return output.substr(0, output.find('\n')); }

Result<Ended> run_child(const std::vector<std::string> &words, std::chrono::seconds limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::unexpected(not_started(words.front(), errno));
  pid_t child = 0;
  const int error = start(words, ends[1], child);
  close(ends[1]);
  Ended ended;
  const bool in_time = error != 0 || read_all(ends[0], limit, ended.output);
  close(ends[0]);
  if (error != 0)
    return std::unexpected(not_started(words.front(), error));
  if (!in_time)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (!in_time)
    return std::unexpected(Failure{ErrorCode::file_error, words.front(),
                                   "does not end within " + std::to_string(limit.count()) + " s",
                                   "start it by hand to see what it waits for"});
  ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ended;
}

} // namespace sartor::cli

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/process.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

} // namespace

Failure become(const Words &command) {
  execvp(command.front().c_str(), pointers(command).data());
  return not_started(command, errno);
}

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

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  std::string name = std::filesystem::temp_directory_path(error) / "sartor-cc.XXXXXX";
  if (mkdtemp(name.data()))
    path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  if (!path_.empty())
    std::filesystem::remove_all(path_, error);
}

} // namespace sartor::cc

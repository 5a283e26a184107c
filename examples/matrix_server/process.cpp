// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace matmul {

using namespace std::chrono_literals;

namespace {

[[noreturn]] void become(char *const *arguments, int output, pid_t parent) {
  constexpr int cannot_execute = 127; // as in the shell
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // the parent died before its death could be watched
    _exit(cannot_execute);
  dup2(output, STDOUT_FILENO);
  execvp(arguments[0], arguments);
  _exit(cannot_execute);
}

} // namespace

Process::Process(const std::vector<std::string> &command, const std::filesystem::path &output) {
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    throw std::system_error(errno, std::generic_category(), output.string());

  // Allocates all memory before the fork.
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);

  const pid_t parent = getpid();
  id_ = fork();
  if (id_ == 0)
    become(arguments.data(), file, parent);
  const int error = errno;
  close(file);
  if (id_ < 0)
    throw std::system_error(error, std::generic_category(), "fork");
}

Process::~Process() { end(); }

std::optional<int> Process::status() {
  int status = 0;
  if (!status_ && waitpid(id_, &status, WNOHANG) == id_)
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

void Process::end() {
  if (status())
    return;
  kill(id_, SIGTERM);
  if (ended_within(5s))
    return;
  kill(id_, SIGKILL);
  ended_within(5s);
}

bool Process::ended_within(std::chrono::milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (!status() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(10ms);
  return status_.has_value();
}

} // namespace matmul

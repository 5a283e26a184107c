// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "apart.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sartor::send {

namespace {

[[noreturn]] void run(const std::function<void(FILE *)> &work, FILE *out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    work(out);
  } catch (const std::exception &error) {
    std::fprintf(out, "! %s\n", error.what());
  }
  std::fclose(out);
  _exit(0); // other threads may still run
}

} // namespace

std::string in_process_apart(const std::function<void(FILE *)> &work) {
  int ends[2];
  std::fflush(nullptr);
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  const pid_t process = fork();
  if (process == 0)
    run(work, fdopen(ends[1], "w"));
  close(ends[1]);
  FILE *in = fdopen(ends[0], "r");
  std::string text;
  for (int next = std::fgetc(in); next != EOF; next = std::fgetc(in))
    text.push_back(static_cast<char>(next));
  std::fclose(in);
  if (process < 0)
    throw std::runtime_error("a process cannot be made");
  int status = 0;
  waitpid(process, &status, 0);
  return text;
}

} // namespace sartor::send

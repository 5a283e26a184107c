// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sartor-compiler: the compilers of a program or of a server, which starts it
// (remote/protocol/child.h). For a program there are two processes: one compiles, the other reports
// to the program how that one has ended, and ends it when the program has gone. For a server
// (--warm), one process has LLVM loaded and forks a compiler for each client.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/protocol/child.h"
#include "remote/server/compilers/compiler_process.h"
#include "remote/server/compilers/confine.h"

namespace sartor::remote {
namespace {

/// Returns how the process has ended; kills it when the program has gone, or when its end could not
/// be noticed.
int watch(pid_t worker) {
  const auto end = static_cast<int>(syscall(SYS_pidfd_open, worker, 0));
  std::array<pollfd, 2> wanted{{{kLifeSocket, POLLIN, 0}, {end, POLLIN, 0}}};
  while (end >= 0 && poll(wanted.data(), wanted.size(), -1) < 0)
    ;
  if (!(wanted[1].revents & POLLIN))
    kill(worker, SIGKILL);
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

void report_end(int status) { (void)send(kLifeSocket, &status, sizeof status, MSG_NOSIGNAL); }

int serve_program(const Confinement &how) {
  const pid_t worker = fork();
  if (worker < 0)
    return 1;
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(kLifeSocket);
    _exit(load_compiler() ? serve_sessions(how) : 1);
  }
  close(kSessionsSocket);
  leave_to_program({STDERR_FILENO});
  report_end(watch(worker));
  return 0;
}

int serve_server(const Confinement &how) {
  prctl(PR_SET_NAME, "sartor-compiler");
  if (!load_compiler()) {
    report_end(W_EXITCODE(1, 0));
    return 1;
  }
  leave_to_program({STDERR_FILENO});
  return fork_compilers(how);
}

/// Returns false if compilers would not be confined as required.
bool may_run([[maybe_unused]] const Confinement &how, [[maybe_unused]] bool is_warm) {
#ifndef SARTOR_SANITIZED
  if (has_landlock())
    return true;
  if (!how.may_be_weak) {
    std::fputs("sartor-compiler: the kernel has no Landlock; compilers cannot be confined, and do "
               "not run (see --allow-weak-confinement)\n",
               stderr);
    return false;
  }
  if (is_warm) // otherwise a program compiles for itself, and gets no warning
    std::fputs(
        "sartor-compiler: the kernel has no Landlock; compilers are confined by seccomp alone "
        "(--allow-weak-confinement)\n",
        stderr);
#endif
  return true;
}

int run(int count, char **words) {
  CLI::App app(
      "Makes variants for the program that has started it (compiler = out-of-process), or for a "
      "server. It is not for calling by hand.");
  Confinement how;
  bool is_warm = false;
  app.add_option("--may-read", how.may_read, "A pass plugin that it may read");
  app.add_flag("--allow-weak-confinement", how.may_be_weak,
               "Run where the kernel has no Landlock, confined by seccomp alone");
  app.add_flag("--warm", is_warm, "Load LLVM once, and fork a compiler for each client");
  CLI11_PARSE(app, count, words);
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(kLifeSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      getsockopt(kSessionsSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fputs("sartor-compiler is started by programs, where SARTOR_COMPILER=out-of-process\n",
               stderr);
    return 2;
  }
  close_range(kSessionsSocket + 1, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGINT, SIGHUP, SIGTERM, SIGQUIT})
    // A terminal's signals go to the program, whose end also ends this process.
    std::signal(signal, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  leave_to_program({STDIN_FILENO, STDOUT_FILENO});
  setsid();
  (void)!chdir("/");
  if (!may_run(how, is_warm)) {
    report_end(W_EXITCODE(kNotConfined, 0));
    return kNotConfined;
  }
  return is_warm ? serve_server(how) : serve_program(how);
}

} // namespace
} // namespace sartor::remote

int main(int count, char **words) { return sartor::remote::run(count, words); }

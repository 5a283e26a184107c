// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <csignal>
#include <vector>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/protocol/child.h"
#include "remote/server/compilers/compiler_process.h"

namespace sartor::remote {

namespace {

struct Compiler {
  pid_t process;
  int life; ///< -1 after it has been killed.
  int end;  ///< A pidfd.
};

/// Runs in the new process.
[[noreturn]] void be_compiler(const Confinement &how, pid_t parent, int sessions) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(0);
  // The sockets of the other compilers belong to the parent.
  dup2(sessions, kSessionsSocket);
  close(kLifeSocket);
  close_range(kSessionsSocket + 1, ~0U, 0);
  _exit(serve_sessions(how)); // _exit(): LLVM has thread-local objects, and no output to flush
}

class Compilers {
public:
  explicit Compilers(const Confinement &how) : how_(how) {}

  void start(int life, int sessions) {
    const pid_t parent = getpid();
    const pid_t made = fork();
    if (made == 0)
      be_compiler(how_, parent, sessions);
    close(sessions);
    if (made < 0) {
      close(life);
      return;
    }
    const Compiler compiler{made, life, static_cast<int>(syscall(SYS_pidfd_open, made, 0))};
    if (compiler.end >= 0)
      return compilers_.push_back(compiler);
    ::kill(made, SIGKILL); // its end could not be noticed
    report_end(compiler);
  }

  void add_to(std::vector<pollfd> &wanted) const {
    for (const Compiler &each : compilers_) {
      wanted.push_back({each.life, POLLIN, 0});
      wanted.push_back({each.end, POLLIN, 0});
    }
  }

  /// `polled` are the entries of add_to(), for the compilers that existed then.
  void look(const pollfd *polled) {
    std::vector<Compiler> left;
    for (Compiler each : compilers_) {
      const bool is_unwanted = (polled++)->revents != 0;
      if ((polled++)->revents != 0) {
        report_end(each);
        continue;
      }
      if (is_unwanted) { // its other end was closed or shut down
        ::kill(each.process, SIGKILL);
        close(each.life);
        each.life = -1;
      }
      left.push_back(each);
    }
    compilers_ = std::move(left);
  }

private:
  static void report_end(const Compiler &compiler) {
    int status = 0;
    while (waitpid(compiler.process, &status, 0) < 0 && errno == EINTR)
      ;
    if (compiler.life >= 0) {
      (void)send(compiler.life, &status, sizeof status, MSG_NOSIGNAL);
      close(compiler.life);
    }
    close(compiler.end);
  }

  const Confinement &how_;
  std::vector<Compiler> compilers_;
};

} // namespace

int fork_compilers(const Confinement &how) {
  Compilers compilers(how);
  for (;;) {
    std::vector<pollfd> wanted{{kLifeSocket, POLLIN, 0}, {kSessionsSocket, POLLIN, 0}};
    compilers.add_to(wanted);
    if (poll(wanted.data(), wanted.size(), -1) < 0)
      continue;
    if (wanted[0].revents != 0)
      return 0; // compilers end with their parent
    compilers.look(wanted.data() + 2);
    if (wanted[1].revents == 0)
      continue;
    const auto sockets = take_sockets(kSessionsSocket, 2);
    if (!sockets)
      return 0;
    compilers.start(sockets->front(), sockets->back());
  }
}

} // namespace sartor::remote

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sartor-compiler: the compiler beside a program, which has started it (remote/child.h). Two
// processes: one compiles, the other tells the program how it has ended, and ends it when the
// program has gone.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "engine/thread.h"
#include "image/processor.h"
#include "jit/find_compiler.h"
#include "remote/child.h"
#include "remote/confine.h"
#include "remote/service.h"

namespace sartor::remote {
namespace {

/// Of addresses; LLVM's libraries are in it. Sanitizers take more.
[[maybe_unused]] constexpr rlim_t kMostMemory = rlim_t{8} << 30U;
constexpr std::size_t kMostMessage = std::size_t{1} << 30U;

/// The socket of another conversation; nothing where the program begins none any more.
std::optional<int> next_socket() {
  char nothing = 0;
  iovec bytes{&nothing, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  ssize_t taken = 0;
  do
    taken = recvmsg(kSessionsSocket, &message, MSG_CMSG_CLOEXEC);
  while (taken < 0 && errno == EINTR);
  const cmsghdr *header = taken > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (!header || header->cmsg_type != SCM_RIGHTS)
    return std::nullopt;
  int socket = -1;
  std::memcpy(&socket, CMSG_DATA(header), sizeof socket);
  return socket;
}

/// Which other process the system ends first when it is out of memory.
void be_ended_first() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    (void)!write(file, "1000", 4);
    close(file);
  }
}

void limit_memory() {
#ifndef SARTOR_SANITIZED // whose shadow takes more
  rlimit memory{};
  getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = std::min(memory.rlim_cur, kMostMemory);
  setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

/// Whoever reads what the program writes waits for its end, not for ours.
void leave_to_program(std::initializer_list<int> files) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int file : files)
    dup2(nothing, file);
  close(nothing);
}

int compile([[maybe_unused]] const std::vector<std::string> &may_read) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "sartor-compiler");
  be_ended_first();
  limit_memory();
  auto compiler = jit::find_compiler();
  if (!compiler || !(*compiler)->toolchain()) // which reads what it is to read of this machine
    return 1;
  (void)image::this_processor();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  Service service(**compiler, kMostMessage, [] { _exit(3); });
#ifndef SARTOR_SANITIZED
  if (!confine(may_read)) {
    std::fputs("sartor-compiler: cannot be confined here, and does not run\n", stderr);
    return 4;
  }
#endif
  dup2(nothing, STDERR_FILENO);
  std::atomic<unsigned> conversations = 0;
  while (const auto socket = next_socket()) {
    ++conversations;
    auto stream =
        std::make_shared<std::unique_ptr<Stream>>(std::make_unique<SocketStream>(*socket));
    auto thread = engine::Thread::start("sartor-serve", [&, stream] {
      service.serve(std::move(*stream));
      --conversations;
      conversations.notify_all();
    });
    if (thread)
      thread->detach();
    else
      --conversations;
  }
  for (unsigned left = conversations; left > 0; left = conversations)
    conversations.wait(left);
  _exit(0); // LLVM has threads' objects, and nothing to say
}

/// Returns how the process has ended, or kills it when the program has gone.
int watch(pid_t worker) {
  const auto end = static_cast<int>(syscall(SYS_pidfd_open, worker, 0));
  std::array<pollfd, 2> wanted{{{kLifeSocket, POLLIN, 0}, {end, POLLIN, 0}}};
  while (poll(wanted.data(), wanted.size(), -1) < 0)
    ;
  if (!(wanted[1].revents & POLLIN))
    kill(worker, SIGKILL);
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

int run(int count, char **words) {
  CLI::App app("Makes variants for the program that has started it (compiler = beside). It is not "
               "for calling by hand.");
  std::vector<std::string> may_read;
  app.add_option("--may-read", may_read, "A file that it may read besides system libraries");
  CLI11_PARSE(app, count, words);
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(kLifeSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      getsockopt(kSessionsSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fputs("sartor-compiler is started by programs, where SARTOR_COMPILER=beside\n", stderr);
    return 2;
  }
  close_range(kSessionsSocket + 1, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGINT, SIGHUP, SIGTERM, SIGQUIT})
    std::signal(signal, SIG_IGN); // a terminal's go to the program, whose end is ours
  std::signal(SIGCHLD, SIG_DFL);
  leave_to_program({STDIN_FILENO, STDOUT_FILENO});
  setsid();
  (void)!chdir("/");
  const pid_t worker = fork();
  if (worker < 0)
    return 1;
  if (worker == 0) {
    close(kLifeSocket);
    return compile(may_read);
  }
  close(kSessionsSocket);
  leave_to_program({STDERR_FILENO});
  const int status = watch(worker);
  (void)send(kLifeSocket, &status, sizeof status, MSG_NOSIGNAL);
  return 0;
}

} // namespace
} // namespace sartor::remote

int main(int count, char **words) { return sartor::remote::run(count, words); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"

namespace sartor::remote {

namespace {

constexpr std::size_t kStackBytes = 64U << 10;

// A new process shares this memory until it runs its program, so that nothing is copied. The thread
// sanitizer would take it for a thread.
#if __has_feature(thread_sanitizer)
constexpr int kSharing = 0;
#else
constexpr int kSharing = CLONE_VM | CLONE_VFORK;
#endif

std::unexpected<Failure> cannot_start(const std::string &path, int error) {
  return std::unexpected(Failure{
      ErrorCode::no_compiler, path, "cannot be started: " + std::generic_category().message(error),
      "the generic code goes on; install it next to libsartor.so, set "
      "SARTOR_COMPILER_PROGRAM to its path, or set compiler = in-process"});
}

/// A connected pair of sockets, which no other program inherits.
class SocketPair {
public:
  explicit SocketPair(int type)
      : good_(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends_.data()) == 0) {
    for (int &end : ends_)
      end = base::above_standard_streams(end);
    good_ = good_ && ends_[0] >= 0 && ends_[1] >= 0;
  }
  ~SocketPair() {
    for (const int end : ends_)
      if (end >= 0)
        close(end);
  }
  SocketPair(const SocketPair &) = delete;
  SocketPair &operator=(const SocketPair &) = delete;

  [[nodiscard]] bool is_good() const { return good_; }
  [[nodiscard]] int theirs() const { return ends_[1]; }
  int take_ours() { return std::exchange(ends_[0], -1); }

private:
  std::array<int, 2> ends_{-1, -1};
  bool good_;
};

/// The arguments for the new process. It shares this memory until it runs its program, so it makes
/// only system calls.
struct Birth {
  const char *path;
  char *const *arguments;
  char *const *environment;
  int life;
  int sessions;
  char *stack; ///< The upper end of the second process's stack.
  int error = 0;
};

// One of the sockets may have the number that it or the other is to get: dup2() would leave the
// first one to be closed by execve().
bool place_sockets(int life, int sessions) {
  const int high_life = fcntl(life, F_DUPFD_CLOEXEC, kSessionsSocket + 1);
  const int high_sessions = fcntl(sessions, F_DUPFD_CLOEXEC, kSessionsSocket + 1);
  return high_life >= 0 && high_sessions >= 0 && dup2(high_life, kLifeSocket) >= 0 &&
         dup2(high_sessions, kSessionsSocket) >= 0;
}

int be_born(void *argument) {
  Birth &birth = *static_cast<Birth *>(argument);
  // Signals with handlers would run them in memory that this process shares.
  if (place_sockets(birth.life, birth.sessions))
    execve(birth.path, birth.arguments, birth.environment);
  birth.error = errno;
  _exit(1);
}

// The process is not reported when it ends; the one that it has started is adopted by the system.
int begin(void *argument) {
  Birth &birth = *static_cast<Birth *>(argument);
  if (clone(be_born, birth.stack, kSharing | SIGCHLD, argument) < 0)
    birth.error = errno;
  _exit(0);
}

/// Memory for stacks; all signals are blocked while it exists.
class Quiet {
public:
  Quiet()
      : memory_(mmap(nullptr, 2 * kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Quiet() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    if (memory_ != MAP_FAILED)
      munmap(memory_, 2 * kStackBytes);
  }
  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;

  /// Returns the upper end of a stack; null if memory is exhausted.
  [[nodiscard]] char *stack(unsigned number) const {
    return memory_ == MAP_FAILED ? nullptr
                                 : static_cast<char *>(memory_) + (number + 1) * kStackBytes;
  }

private:
  void *memory_;
  sigset_t before_{};
};

// Sends copies of sockets in one message, without waiting.
bool pass(int over, std::initializer_list<int> sockets) {
  constexpr std::size_t kMost = 2;
  char nothing = 0;
  iovec bytes{&nothing, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMost * sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = CMSG_SPACE(sockets.size() * sizeof(int));
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sockets.size() * sizeof(int));
  std::memcpy(CMSG_DATA(header), sockets.begin(), sockets.size() * sizeof(int));
  return sendmsg(over, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

} // namespace

Result<std::unique_ptr<Child>> Child::start(const std::string &path,
                                            const std::vector<std::string> &arguments) {
  SocketPair life(SOCK_SEQPACKET);
  SocketPair sessions(SOCK_SEQPACKET);
  if (!life.is_good() || !sessions.is_good())
    return cannot_start(path, errno);
  std::vector<char *> words{const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  const Quiet quiet;
  Birth birth{path.c_str(),  words.data(),      base::environment_for_children(),
              life.theirs(), sessions.theirs(), quiet.stack(1)};
  if (!birth.stack)
    return cannot_start(path, ENOMEM);
  const pid_t first = clone(begin, quiet.stack(0), kSharing, &birth);
  if (first < 0)
    return cannot_start(path, errno);
  while (waitpid(first, nullptr, __WCLONE) < 0 && errno == EINTR)
    ;
  if (birth.error != 0)
    return cannot_start(path, birth.error);
  return std::unique_ptr<Child>(new Child(life.take_ours(), sessions.take_ours()));
}

bool Child::is_lost() const {
  return !life_.is_still_ours() || (sessions_.get() >= 0 && !sessions_.is_still_ours());
}

std::optional<int> Child::connect() {
  SocketPair pair(SOCK_STREAM);
  if (!pair.is_good() || !sessions_.is_still_ours() || !pass(sessions_.get(), {pair.theirs()}))
    return std::nullopt;
  return pair.take_ours();
}

std::unique_ptr<Child> WarmParent::fork() {
  SocketPair life(SOCK_SEQPACKET);
  SocketPair sessions(SOCK_SEQPACKET);
  if (!life.is_good() || !sessions.is_good() || !process_->sessions_.is_still_ours() ||
      !pass(process_->sessions_.get(), {life.theirs(), sessions.theirs()}))
    return nullptr;
  return std::unique_ptr<Child>(new Child(life.take_ours(), sessions.take_ours()));
}

Result<std::unique_ptr<WarmParent>> WarmParent::start(const std::string &path,
                                                      std::vector<std::string> arguments) {
  arguments.emplace_back("--warm");
  auto process = Child::start(path, arguments);
  if (!process)
    return std::unexpected(std::move(process.error()));
  return std::unique_ptr<WarmParent>(new WarmParent(std::move(*process)));
}

std::optional<std::string> Child::end(std::chrono::milliseconds patience) {
  if (!life_.is_still_ours())
    return "has been left alone: the program has closed its descriptors";
  pollfd wanted{life_.get(), POLLIN, 0};
  if (poll(&wanted, 1, static_cast<int>(patience.count())) <= 0)
    return std::nullopt;
  const auto status = this->status();
  if (!status)
    return "has been killed";
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == kNotConfined)
    return "cannot be confined on this kernel, and does not run";
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == kTookTooMuch)
    return "has ended because of a request that took too much memory";
  if (!WIFSIGNALED(*status))
    return "has ended with status " + std::to_string(WEXITSTATUS(*status));
  const int signal = WTERMSIG(*status);
  const char *name = sigabbrev_np(signal);
  return std::string("has ended by SIG") + (name ? name : std::to_string(signal).c_str()) +
         (signal == SIGKILL ? ": the system may have been out of memory" : "");
}

std::optional<int> Child::status() const {
  int status = 0;
  if (!life_.is_still_ours() ||
      recv(life_.get(), &status, sizeof status, MSG_DONTWAIT | MSG_PEEK) != sizeof status)
    return std::nullopt;
  return status;
}

bool Child::was_limited() const {
  const auto status = this->status();
  return was_killed_ || (status && WIFEXITED(*status) && WEXITSTATUS(*status) == kTookTooMuch);
}

void Child::retire() { sessions_.close(); }

void Child::kill() {
  was_killed_ = true;
  retire();
  if (life_.is_still_ours())
    shutdown(life_.get(), SHUT_WR);
}

} // namespace sartor::remote

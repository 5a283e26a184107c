// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SIGSEGV handlers of the program, installed before Sartor's: each must be called as the kernel
// would call it.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pages.h"

namespace {

using namespace std::chrono_literals;

struct Handler {
  const char *name;
  unsigned flags;
  bool masks_others = false;
  void (*instead)(int) = nullptr; ///< SIG_IGN or SIG_DFL.
};

/// The observations of a child process, in shared memory.
struct Seen {
  std::array<bool, NSIG> blocked_within;
  std::array<bool, NSIG> blocked_after;
  bool is_about_wall;
  int error_after;
  int calls;
  int read_gave;
  int read_error;
  bool is_over;
};

enum class Way { twice, within_itself, sent, sent_during_a_call };

Seen *seen = nullptr;
bool is_function = false;   // the handler; not SIG_IGN or SIG_DFL
char *wall = nullptr;       // write-protected
char *other_wall = nullptr; // a handler that is called within itself writes to it

void note_mask(std::array<bool, NSIG> &blocked) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  for (int signal = 1; signal < NSIG; ++signal)
    blocked.at(static_cast<std::size_t>(signal)) = sigismember(&now, signal) == 1;
}

// Makes the page writable, so that the handler may return.
void open_wall(char *which) { mprotect(which, page_size(), PROT_READ | PROT_WRITE); }

void note_call() {
  ++seen->calls;
  note_mask(seen->blocked_within);
  if (other_wall && seen->calls == 1)
    *const_cast<volatile char *>(other_wall) = 1;
  if (other_wall && seen->calls == 2)
    open_wall(other_wall);
  else
    open_wall(wall);
  errno = ESTALE;
}

void without_information(int) { note_call(); }
void with_information(int, siginfo_t *info, void *) {
  seen->is_about_wall = info->si_addr == wall;
  note_call();
}

void install(const Handler &handler) {
  is_function = !handler.instead;
  struct sigaction action = {};
  if (handler.instead)
    action.sa_handler = handler.instead;
  else if ((handler.flags & SA_SIGINFO) != 0)
    action.sa_sigaction = with_information;
  else
    action.sa_handler = without_information;
  action.sa_flags = static_cast<int>(handler.flags);
  if (handler.masks_others)
    for (const int signal : {SIGUSR1, SIGRTMAX, SIGBUS})
      sigaddset(&action.sa_mask, signal);
  sigaction(SIGSEGV, &action, nullptr);
}

void touch_wall() {
  errno = 0;
  *const_cast<volatile char *>(wall) = 1;
  seen->error_after = errno;
  note_mask(seen->blocked_after);
}

bool is_reading(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
  long call = -1; // a running thread has the word "running" there
  return file >> call && call == SYS_read;
}

// Another thread sends the signal while this one waits in a system call, and ends the wait after
// the handler.
void be_sent_one_while_reading() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    _exit(1);
  const pthread_t reader = pthread_self();
  const pid_t thread = gettid();
  std::thread sender([&] {
    while (!is_reading(thread))
      std::this_thread::sleep_for(1ms);
    pthread_kill(reader, SIGSEGV);
    while (is_function && std::atomic_ref(seen->calls) == 0)
      std::this_thread::sleep_for(1ms);
    [[maybe_unused]] const auto written = write(ends[1], "x", 1);
  });
  char byte = 0;
  errno = 0;
  seen->read_gave = static_cast<int>(read(ends[0], &byte, 1));
  seen->read_error = seen->read_gave < 0 ? errno : 0;
  sender.join();
}

void live(Way way) {
  wall = static_cast<char *>(
      mmap(nullptr, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (way == Way::within_itself)
    other_wall = static_cast<char *>(
        mmap(nullptr, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  switch (way) {
  case Way::twice:
    touch_wall();
    mprotect(wall, page_size(), PROT_READ);
    touch_wall();
    break;
  case Way::within_itself:
    touch_wall();
    break;
  case Way::sent:
    raise(SIGSEGV);
    raise(SIGSEGV);
    break;
  case Way::sent_during_a_call:
    be_sent_one_while_reading();
    break;
  }
  seen->is_over = true;
}

class Handlers : public Pages {
protected:
  /// The exit status of a child process, and the observations of its handler.
  std::pair<int, Seen> child(const Handler &handler, Way way, bool has_ours) {
    seen = static_cast<Seen *>(
        mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const pid_t child = fork();
    if (child == 0) {
      install(handler);
      if (has_ours) {
        const auto quasi_invariant = shared_of(*file_);
        if (!quasi_invariant.wait_until_valid(kPatience))
          _exit(2);
        live(way);
      } else {
        live(way);
      }
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    const Seen copy = *seen;
    munmap(seen, sizeof(Seen));
    return {status, copy};
  }
};

TEST_F(Handlers, AreCalledAsTheKernelCallsThem) {
  const Handler handlers[] = {
      {"plain", 0},
      {"SA_SIGINFO", SA_SIGINFO},
      {"SA_NODEFER", SA_SIGINFO | SA_NODEFER},
      {"SA_NODEFER without SA_SIGINFO", SA_NODEFER},
      {"a mask", SA_SIGINFO, true},
      {"a mask and SA_NODEFER", SA_SIGINFO | SA_NODEFER, true},
      {"SA_RESETHAND", SA_SIGINFO | SA_RESETHAND},
      {"SA_RESETHAND and SA_NODEFER", SA_RESETHAND | SA_NODEFER},
      {"SA_RESTART", SA_SIGINFO | SA_RESTART},
      {"SIG_IGN", 0, false, SIG_IGN},
      {"SIG_DFL", 0, false, SIG_DFL},
      {"SIG_IGN and SA_SIGINFO", SA_SIGINFO, false, SIG_IGN},
      {"SIG_DFL and SA_SIGINFO", SA_SIGINFO, false, SIG_DFL},
  };
  for (const Handler &handler : handlers)
    for (const Way way : {Way::twice, Way::within_itself, Way::sent, Way::sent_during_a_call}) {
      SCOPED_TRACE(handler.name + (", way " + std::to_string(static_cast<int>(way))));
      const auto [end, plain] = child(handler, way, /*has_ours=*/false);
      const auto [end_with_ours, with_ours] = child(handler, way, /*has_ours=*/true);
      EXPECT_EQ(WIFSIGNALED(end_with_ours) ? WTERMSIG(end_with_ours) : 0,
                WIFSIGNALED(end) ? WTERMSIG(end) : 0);
      EXPECT_EQ(WIFEXITED(end_with_ours) ? WEXITSTATUS(end_with_ours) : 0, 0);
      EXPECT_EQ(with_ours.blocked_within, plain.blocked_within);
      EXPECT_EQ(with_ours.blocked_after, plain.blocked_after);
      EXPECT_EQ(with_ours.is_about_wall, plain.is_about_wall);
      EXPECT_EQ(with_ours.error_after, plain.error_after);
      EXPECT_EQ(with_ours.calls, plain.calls);
      EXPECT_EQ(with_ours.read_gave, plain.read_gave);
      EXPECT_EQ(with_ours.read_error, plain.read_error);
      EXPECT_EQ(with_ours.is_over, plain.is_over);
    }
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that are confined like a compiler and attack the server.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hide_landlock.h"
#include "remote/server/compilers/confine.h"

namespace sartor::remote {
namespace {

constexpr int kNotThere = 100; ///< The exit status if a process could not be confined.
const Confinement kWeak{{}, true};

/// The targets of an attack. The test's process stands for the server.
struct Scene {
  pid_t server = getpid();
  std::array<int, 2> conversation{-1, -1}; ///< The compiler has the second socket.
  std::array<int, 2> standard_error{-1, -1};
  std::string directory;
  std::string key; ///< The path of a file.
};

/// Returns true if the attack has succeeded.
using Attack = std::function<bool(const Scene &)>;

class Hostile : public ::testing::TestWithParam<std::pair<const char *, Attack>> {
protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "sartor-hostile-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    scene_.directory = name;
    scene_.key = name + "/server.key";
    std::ofstream(scene_.key) << "secret";
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, scene_.conversation.data()), 0);
    ASSERT_EQ(pipe(scene_.standard_error.data()), 0);
  }
  void TearDown() override {
    for (const int file : {scene_.conversation[0], scene_.conversation[1], scene_.standard_error[0],
                           scene_.standard_error[1]})
      close(file);
    std::filesystem::remove_all(scene_.directory);
  }

  /// The exit status of a process that is confined and then attacks: 1 if the attack succeeded.
  int run(const Attack &attack, const Confinement &how, bool is_without_landlock = false) {
    const pid_t made = fork();
    if (made == 0) {
      dup2(scene_.standard_error[1], STDERR_FILENO);
      close(scene_.conversation[0]);
      close(scene_.standard_error[0]);
      close(scene_.standard_error[1]);
      if ((is_without_landlock && !hide_landlock()) || !confine(how))
        _exit(kNotThere);
      _exit(attack(scene_) ? 1 : 0);
    }
    int status = 0;
    while (waitpid(made, &status, 0) < 0 && errno == EINTR)
      ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  Scene scene_;
};

// True if the call was allowed, including a call that fails for another reason.
bool did(long result) {
  return result >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS);
}
bool opens(const std::string &path, int flags = O_RDONLY) {
  return did(open(path.c_str(), flags | O_CLOEXEC, 0600));
}
std::string proc(pid_t process, const char *what) {
  return "/proc/" + std::to_string(process) + "/" + what;
}

const std::vector<std::pair<const char *, Attack>> kAttacks{
    {"OpenPasswd", [](const Scene &) { return opens("/etc/passwd"); }},
    {"OpenKey", [](const Scene &s) { return opens(s.key); }},
    {"OpenKeyByOpenat2",
     [](const Scene &s) {
       std::array<std::uint64_t, 3> how{};
       return did(syscall(SYS_openat2, AT_FDCWD, s.key.c_str(), how.data(), sizeof how));
     }},
    {"OpenOsRelease", [](const Scene &) { return opens("/usr/lib/os-release"); }},
    {"OpenLibrary", [](const Scene &) { return opens("/lib/x86_64-linux-gnu/libc.so.6"); }},
    {"OpenRoot", [](const Scene &) { return opens("/", O_RDONLY | O_DIRECTORY); }},
    {"OpenPath", [](const Scene &s) { return opens(s.key, O_PATH); }},
    {"OpenMemoryOfTheServer", [](const Scene &s) { return opens(proc(s.server, "mem"), O_RDWR); }},
    {"OpenDescriptorOfTheServer", [](const Scene &s) { return opens(proc(s.server, "fd/2")); }},
    {"OpenEnvironmentOfTheServer", [](const Scene &s) { return opens(proc(s.server, "environ")); }},
    {"OpenOwnEnvironment", [](const Scene &) { return opens("/proc/self/environ"); }},
    {"OpenOwnMaps", [](const Scene &) { return opens("/proc/self/maps"); }},
    {"OpenOwnMemory", [](const Scene &) { return opens("/proc/self/mem", O_RDWR); }},
    {"OpenDevice", [](const Scene &) { return opens("/dev/zero", O_RDWR); }},
    {"LookAtKey",
     [](const Scene &s) {
       struct stat info{};
       return did(stat(s.key.c_str(), &info)) || did(access(s.key.c_str(), F_OK));
     }},
    {"ReadLink",
     [](const Scene &s) {
       std::array<char, 64> room{};
       return did(readlink(proc(s.server, "exe").c_str(), room.data(), room.size()));
     }},
    {"WriteFile", [](const Scene &s) { return opens(s.key, O_WRONLY); }},
    {"CreateFile", [](const Scene &s) { return opens(s.directory + "/new", O_WRONLY | O_CREAT); }},
    {"Creat", [](const Scene &s) { return did(creat((s.directory + "/new").c_str(), 0600)); }},
    {"TemporaryFile", [](const Scene &s) { return opens(s.directory, O_TMPFILE | O_RDWR); }},
    {"Truncate", [](const Scene &s) { return did(truncate(s.key.c_str(), 0)); }},
    {"Unlink", [](const Scene &s) { return did(unlink(s.key.c_str())); }},
    {"Rename",
     [](const Scene &s) { return did(rename(s.key.c_str(), (s.directory + "/b").c_str())); }},
    {"Link", [](const Scene &s) { return did(link(s.key.c_str(), (s.directory + "/b").c_str())); }},
    {"SymbolicLink",
     [](const Scene &s) { return did(symlink(s.key.c_str(), (s.directory + "/b").c_str())); }},
    {"MakeDirectory",
     [](const Scene &s) { return did(mkdir((s.directory + "/b").c_str(), 0700)); }},
    {"MakeNode",
     [](const Scene &s) { return did(mknod((s.directory + "/b").c_str(), S_IFIFO | 0600, 0)); }},
    {"ChangeMode", [](const Scene &s) { return did(chmod(s.key.c_str(), 0777)); }},
    {"ChangeOwner", [](const Scene &s) { return did(chown(s.key.c_str(), 1, 1)); }},
    {"SetAttribute",
     [](const Scene &s) { return did(syscall(SYS_setxattr, s.key.c_str(), "user.a", "b", 1, 0)); }},
    {"ChangeDirectory", [](const Scene &) { return did(chdir("/etc")); }},
    {"ChangeRoot", [](const Scene &s) { return did(chroot(s.directory.c_str())); }},
    {"Mount",
     [](const Scene &s) {
       return did(syscall(SYS_mount, "none", s.directory.c_str(), "tmpfs", 0, nullptr));
     }},
    {"Unshare", [](const Scene &) { return did(syscall(SYS_unshare, CLONE_NEWUSER)); }},
    {"EnterNamespace",
     [](const Scene &s) { return did(syscall(SYS_setns, s.conversation[1], 0)); }},
    {"Watch", [](const Scene &) { return did(syscall(SYS_inotify_init1, 0)); }},
    {"WatchAll", [](const Scene &) { return did(syscall(SYS_fanotify_init, 0, 0)); }},
    {"Execute",
     [](const Scene &) {
       char *const words[]{const_cast<char *>("/bin/false"), nullptr};
       return did(execv(words[0], words));
     }},
    {"ExecuteMemory", [](const Scene &) { return did(syscall(SYS_memfd_create, "code", 0)); }},
    {"ExecuteAt",
     [](const Scene &) {
       char *const words[]{const_cast<char *>("/bin/false"), nullptr};
       return did(syscall(SYS_execveat, AT_FDCWD, words[0], words, nullptr, 0));
     }},
    {"Fork", [](const Scene &) { return did(syscall(SYS_fork)); }},
    {"Vfork",
     [](const Scene &) { return did(syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0)); }},
    {"CloneProcess", [](const Scene &) { return did(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }},
    {"CloneSharingMemory",
     [](const Scene &) { return did(syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)); }},
    {"CloneThree",
     [](const Scene &) {
       clone_args how{};
       how.exit_signal = SIGCHLD;
       return did(syscall(SYS_clone3, &how, sizeof how));
     }},
    {"Kill", [](const Scene &s) { return did(kill(s.server, SIGUSR1)); }},
    {"KillAll", [](const Scene &) { return did(kill(-1, 0)); }},
    {"KillThread",
     [](const Scene &s) { return did(syscall(SYS_tgkill, s.server, s.server, SIGUSR1)); }},
    {"KillThreadTheOldWay",
     [](const Scene &s) { return did(syscall(SYS_tkill, s.server, SIGUSR1)); }},
    {"QueueSignal",
     [](const Scene &s) {
       siginfo_t info{};
       info.si_code = SI_QUEUE;
       return did(syscall(SYS_rt_sigqueueinfo, s.server, SIGUSR1, &info)) ||
              did(syscall(SYS_rt_tgsigqueueinfo, s.server, s.server, SIGUSR1, &info));
     }},
    {"SignalByPidfd",
     [](const Scene &s) {
       const auto file = static_cast<int>(syscall(SYS_pidfd_open, s.server, 0));
       return did(file) || did(syscall(SYS_pidfd_send_signal, file, SIGUSR1, nullptr, 0));
     }},
    {"TakeDescriptor",
     [](const Scene &s) { return did(syscall(SYS_pidfd_getfd, s.conversation[1], 0, 0)); }},
    {"SignalByOwner",
     [](const Scene &s) {
       // With O_ASYNC, data that the peer writes sends a signal to the owner of this end.
       const int socket = s.conversation[1];
       const bool owned = did(fcntl(socket, F_SETOWN, s.server));
       const bool chosen = did(fcntl(socket, F_SETSIG, SIGUSR1));
       const bool asynchronous = did(fcntl(socket, F_SETFL, O_ASYNC));
       return owned || chosen || asynchronous;
     }},
    {"SignalByOwnerStructure",
     [](const Scene &s) {
       const f_owner_ex owner{F_OWNER_PID, s.server};
       return did(fcntl(s.conversation[1], F_SETOWN_EX, &owner));
     }},
    {"SignalByIoctl",
     [](const Scene &s) {
       const int on = 1;
       const int owner = s.server;
       return did(ioctl(s.conversation[1], FIOSETOWN, &owner)) ||
              did(ioctl(s.conversation[1], SIOCSPGRP, &owner)) ||
              did(ioctl(s.conversation[1], FIOASYNC, &on));
     }},
    {"SignalByLease",
     [](const Scene &s) {
       return did(fcntl(s.conversation[1], F_SETLEASE, F_RDLCK)) ||
              did(fcntl(s.conversation[1], F_NOTIFY, DN_MODIFY));
     }},
    {"LockFile",
     [](const Scene &s) {
       struct flock lock{};
       lock.l_type = F_RDLCK;
       return did(fcntl(s.conversation[1], F_SETLK, &lock));
     }},
    {"TimerSignalsAnother",
     [](const Scene &s) {
       sigevent event{};
       event.sigev_notify = SIGEV_THREAD_ID;
       event.sigev_signo = SIGUSR1;
       event._sigev_un._tid = s.server;
       int timer = 0;
       return did(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
     }},
    {"InsertIntoTerminal", [](const Scene &) { return did(ioctl(STDIN_FILENO, TIOCSTI, "x")); }},
    {"Trace", [](const Scene &s) { return did(syscall(SYS_ptrace, 16, s.server, 0, 0)); }},
    {"ReadMemoryOfTheServer",
     [](const Scene &s) {
       char byte = 0;
       const iovec here{&byte, 1};
       const iovec there{const_cast<char *>(s.key.data()), 1};
       return did(syscall(SYS_process_vm_readv, s.server, &here, 1, &there, 1, 0)) ||
              did(syscall(SYS_process_vm_writev, s.server, &here, 1, &there, 1, 0));
     }},
    {"AdviseMemoryOfTheServer",
     [](const Scene &s) {
       return did(syscall(SYS_process_madvise, s.conversation[1], 0, 0, 0, 0));
     }},
    {"CompareWithTheServer",
     [](const Scene &s) { return did(syscall(SYS_kcmp, s.server, getpid(), 0, 0, 0)); }},
    {"SocketOfAnyFamily",
     [](const Scene &) {
       for (int family = 0; family < 46; ++family)
         for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
           if (did(socket(family, type, 0)))
             return true;
       return false;
     }},
    {"SocketPair",
     [](const Scene &) {
       std::array<int, 2> ends{};
       return did(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
     }},
    {"BindAndConnect",
     [](const Scene &s) {
       sockaddr_un abstract{};
       abstract.sun_family = AF_UNIX;
       std::memcpy(abstract.sun_path + 1, "sartor", 6);
       sockaddr_in tcp{};
       tcp.sin_family = AF_INET;
       tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
       tcp.sin_port = htons(22);
       const auto *as_unix = reinterpret_cast<const sockaddr *>(&abstract);
       const auto *as_tcp = reinterpret_cast<const sockaddr *>(&tcp);
       return did(bind(s.conversation[1], as_unix, sizeof abstract)) ||
              did(connect(s.conversation[1], as_unix, sizeof abstract)) ||
              did(connect(s.conversation[1], as_tcp, sizeof tcp)) ||
              did(listen(s.conversation[1], 1)) || did(accept(s.conversation[1], nullptr, nullptr));
     }},
    {"SendToAnAddress",
     [](const Scene &s) {
       sockaddr_un abstract{};
       abstract.sun_family = AF_UNIX;
       return did(sendto(s.conversation[1], "x", 1, 0, reinterpret_cast<sockaddr *>(&abstract),
                         sizeof abstract));
     }},
    {"PassDescriptors",
     [](const Scene &s) {
       msghdr message{};
       iovec bytes{const_cast<char *>("x"), 1};
       message.msg_iov = &bytes;
       message.msg_iovlen = 1;
       return did(sendmsg(s.conversation[1], &message, 0));
     }},
    {"SetSocketOption",
     [](const Scene &s) {
       const int size = 1 << 30;
       return did(setsockopt(s.conversation[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size));
     }},
    {"NewCode",
     [](const Scene &) {
       return mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0) != MAP_FAILED;
     }},
    {"DataBecomesCode",
     [](const Scene &) {
       void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       return did(mprotect(page, 4096, PROT_READ | PROT_EXEC)) ||
              did(syscall(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_EXEC, -1));
     }},
    {"MapAsCodeByPersonality",
     [](const Scene &) { return did(syscall(SYS_personality, 0x0400000)); }},
    {"IoUring",
     [](const Scene &) {
       std::array<char, 256> how{};
       return did(syscall(SYS_io_uring_setup, 4, how.data()));
     }},
    {"Bpf",
     [](const Scene &) {
       std::array<char, 128> how{};
       return did(syscall(SYS_bpf, 0, how.data(), how.size()));
     }},
    {"PerfEvent",
     [](const Scene &) {
       std::array<char, 128> how{};
       return did(syscall(SYS_perf_event_open, how.data(), 0, -1, -1, 0));
     }},
    {"UserFault", [](const Scene &) { return did(syscall(SYS_userfaultfd, 0)); }},
    {"Keys", [](const Scene &) { return did(syscall(SYS_keyctl, 0, -3, 1)); }},
    {"AddKey", [](const Scene &) { return did(syscall(SYS_add_key, "user", "a", "b", 1, -3)); }},
    {"Dumpable", [](const Scene &) { return did(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }},
    {"LetItselfBeTraced",
     [](const Scene &s) { return did(prctl(PR_SET_PTRACER, s.server, 0, 0, 0)); }},
    {"ForgetParentsEnd", [](const Scene &) { return did(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }},
    {"Subreaper", [](const Scene &) { return did(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }},
    {"Capabilities", [](const Scene &) { return did(prctl(PR_CAPBSET_DROP, 0, 0, 0, 0)); }},
    {"MemoryMap", [](const Scene &) { return did(prctl(PR_SET_MM, PR_SET_MM_BRK, 0, 0, 0)); }},
    {"AnotherFilter", [](const Scene &) { return did(prctl(PR_SET_SECCOMP, 1, 0, 0, 0)); }},
    {"SetUser",
     [](const Scene &) { return did(syscall(SYS_setuid, 0)) || did(syscall(SYS_setgid, 0)); }},
    {"RaiseLimit",
     [](const Scene &) {
       const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
       return did(setrlimit(RLIMIT_AS, &all)) || did(setrlimit(RLIMIT_FSIZE, &all));
     }},
    {"LimitTheServer",
     [](const Scene &s) {
       const rlimit none{0, 0};
       rlimit now{};
       return did(prlimit(s.server, RLIMIT_NOFILE, &none, nullptr)) ||
              did(prlimit(s.server, RLIMIT_NOFILE, nullptr, &now));
     }},
    {"Priority",
     [](const Scene &s) {
       return did(syscall(SYS_setpriority, PRIO_PROCESS, s.server, 19)) ||
              did(syscall(SYS_sched_setscheduler, s.server, 0, nullptr)) ||
              did(syscall(SYS_sched_setaffinity, s.server, 0, nullptr)) ||
              did(syscall(SYS_ioprio_set, 1, s.server, 0));
     }},
    {"SharedMemory", [](const Scene &) { return did(shmget(IPC_PRIVATE, 4096, 0600)); }},
    {"MessageQueue",
     [](const Scene &) {
       return did(syscall(SYS_msgget, IPC_PRIVATE, 0600)) ||
              did(syscall(SYS_mq_open, "a", O_CREAT, 0600, nullptr));
     }},
    {"Semaphore", [](const Scene &) { return did(syscall(SYS_semget, IPC_PRIVATE, 1, 0600)); }},
    {"Splice",
     [](const Scene &s) {
       return did(syscall(SYS_splice, s.conversation[1], nullptr, STDERR_FILENO, nullptr, 1, 0)) ||
              did(syscall(SYS_tee, s.conversation[1], STDERR_FILENO, 1, 0)) ||
              did(syscall(SYS_sendfile, STDERR_FILENO, s.conversation[1], nullptr, 1)) ||
              did(syscall(SYS_vmsplice, STDERR_FILENO, nullptr, 0, 0));
     }},
    {"Pipe",
     [](const Scene &) {
       std::array<int, 2> ends{};
       return did(pipe(ends.data())) || did(syscall(SYS_eventfd2, 0, 0)) ||
              did(syscall(SYS_epoll_create1, 0)) ||
              did(syscall(SYS_signalfd4, -1, nullptr, 8, 0)) ||
              did(syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0));
     }},
    {"KernelModules",
     [](const Scene &) {
       return did(syscall(SYS_init_module, nullptr, 0, "")) || did(syscall(SYS_reboot, 0, 0, 0)) ||
              did(syscall(SYS_kexec_load, 0, 0, nullptr, 0)) || did(syscall(SYS_swapon, "/", 0));
     }},
    {"HostName", [](const Scene &) { return did(syscall(SYS_sethostname, "a", 1)); }},
    {"Clock",
     [](const Scene &) {
       timespec now{1, 0};
       return did(syscall(SYS_clock_settime, CLOCK_REALTIME, &now));
     }},
    {"KernelLog", [](const Scene &) { return did(syscall(SYS_syslog, 10, nullptr, 0)); }},
    {"Session", [](const Scene &) { return did(setsid()) || did(setpgid(0, 0)); }},
    {"DuplicateDescriptor", [](const Scene &s) { return did(dup2(s.conversation[1], 2)); }}};

TEST_P(Hostile, IsRefused) {
  static std::atomic<int> signals = 0;
  std::signal(SIGUSR1, [](int) { ++signals; });
  signals = 0;
  EXPECT_EQ(run(GetParam().second, {}), 0);
  (void)!write(scene_.conversation[0], "x", 1); // an asynchronously requested signal arrives now
  EXPECT_EQ(signals, 0);
  EXPECT_EQ(std::filesystem::file_size(scene_.key), 6U);
}

// Confined by seccomp alone, where that is allowed.
TEST_P(Hostile, IsRefusedWithoutLandlock) {
  EXPECT_EQ(run(GetParam().second, kWeak, /*is_without_landlock=*/true), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Hostile, ::testing::ValuesIn(kAttacks),
                         [](const auto &info) { return info.param.first; });

using Confined = Hostile;

TEST_F(Confined, WritesToStandardErrorAreLost) {
  EXPECT_EQ(run(
                [](const Scene &) {
                  for (const int stream : {0, 1, 2})
                    (void)!write(stream, "forged\n", 7);
                  std::fputs("forged\n", stderr);
                  return false;
                },
                {}),
            0);
  close(scene_.standard_error[1]);
  scene_.standard_error[1] = -1;
  std::array<char, 16> heard{};
  EXPECT_EQ(read(scene_.standard_error[0], heard.data(), heard.size()), 0);
}

TEST_F(Confined, DoesItsWork) {
  EXPECT_EQ(run(
                [](const Scene &s) {
                  int sum = 0;
                  std::thread([&] { sum = 3; }).join();
                  const std::string bytes(1 << 20, 'x');
                  const bool caught = [] {
                    try {
                      throw 1;
                    } catch (int) {
                      return true;
                    }
                  }();
                  return sum == 3 && caught && !bytes.empty() &&
                         send(s.conversation[1], "x", 1, MSG_NOSIGNAL) == 1;
                },
                {}),
            1);
  char heard = 0;
  EXPECT_EQ(read(scene_.conversation[0], &heard, 1), 1);
}

TEST_F(Confined, DoesNotRunWithoutLandlock) {
  const Attack nothing = [](const Scene &) { return false; };
  EXPECT_EQ(run(nothing, {}, /*is_without_landlock=*/true), kNotThere);
  EXPECT_EQ(run(nothing, kWeak, /*is_without_landlock=*/true), 0);
}

TEST_F(Confined, ReadsPluginsAndLibrariesOnly) {
  const Confinement plugins{{scene_.key}, false};
  EXPECT_EQ(run([](const Scene &s) { return opens(s.key); }, plugins), 1);
  for (const char *path : {"/etc/passwd", "/proc/self/environ", "/proc/self/maps"})
    EXPECT_EQ(run([path](const Scene &) { return opens(path); }, plugins), 0) << path;
  EXPECT_EQ(run([](const Scene &s) { return opens(s.key, O_RDWR); }, plugins), 0);
  EXPECT_EQ(
      run([](const Scene &s) { return opens(s.directory + "/b", O_CREAT | O_WRONLY); }, plugins),
      0);
}

} // namespace
} // namespace sartor::remote

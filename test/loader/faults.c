// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// faults REPORT ROLE HOW NUMBER COMMAND...: runs a command of sartor-ld, and injects faults into
// one of the processes of the start. ROLE: `front` (sartor-ld, and its code in the program),
// `helper`, `planner`, `subject` (the process that the planner examines); or `loader`, the stock
// loader of the command, which is then a program. HOW: `kill` it at its system call NUMBER (from 1;
// 0: never); `kill61`, ...: the same, counting only calls of kind 61; or `EPERM`, ...: refuse all
// its calls of the kind NUMBER.
// Exits as the command exits, with 128 + its signal. Writes into REPORT: the number of calls, the
// number of faults, whether a process is left, and the kind of each call.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum Role { front, helper, planner, subject, loader, program };
static const char *const names[] = {"front", "helper", "planner", "subject", "loader"};
enum { longest = 4096, most_reported = 65536, seconds_for_rest = 120, milliseconds_to_look = 5 };

struct Process {
  int id;
  enum Role role;
};
static struct Process known[longest];
static int known_count;
static int main_process;
static char front_path[longest];
static char loader_path[longest];

static void fail(const char *what) {
  perror(what);
  exit(99);
}

static int read_proc(int process, const char *file, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", process, file);
  FILE *in = fopen(path, "r");
  if (!in)
    return 0;
  const size_t got = fread(text, 1, size - 1, in);
  text[got] = 0;
  fclose(in);
  return 1;
}

static int number_after(int process, const char *word) {
  char text[longest];
  const char *at = read_proc(process, "status", text, sizeof text) ? strstr(text, word) : NULL;
  return at ? (int)strtol(at + strlen(word), NULL, 10) : -1;
}

static const char *file_of(int process) {
  static char path[longest];
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", process);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  return path;
}

/// True if the call comes from code of a file that the process has mapped.
static int is_of(const char *file, int process, unsigned long address) {
  static char text[1 << 17];
  if (!read_proc(process, "maps", text, sizeof text))
    return 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    char *rest = line;
    const unsigned long begin = strtoul(rest, &rest, 16);
    const unsigned long end = strtoul(rest + 1, NULL, 16); // behind a -
    if (begin <= address && address < end)
      return strstr(line, file) != NULL;
  }
  return 0;
}

static enum Role role_of(const struct seccomp_notif *call) {
  const int process = (int)call->pid;
  const char *file = file_of(process);
  const int is_front_file = !strcmp(file, front_path);
  if (process == main_process) {
    if (is_front_file)
      return front;
    const unsigned long at = call->data.instruction_pointer;
    const int is_held = number_after(process, "TracerPid:") > 0;
    return is_held || is_of(front_path, process, at) ? front
           : is_of(loader_path, process, at)         ? loader
                                                     : program;
  }
  int at = 0;
  while (at < known_count && known[at].id != process)
    ++at;
  if (at == known_count) {
    const int is_child = number_after(process, "PPid:") == main_process;
    const enum Role role = !is_front_file                            ? program
                           : is_child && call->data.nr != SYS_setsid ? helper
                                                                     : planner;
    if (known_count == longest)
      fail("too many processes");
    known[known_count++] = (struct Process){process, role};
  }
  if (known[at].role == planner && !is_front_file && !strstr(file, "/sartor-ld-plan"))
    known[at].role = subject;
  if (known[at].role == program && strstr(file, "/sartor-ld-plan"))
    known[at].role = planner;
  if (known[at].role == program && number_after(process, "TracerPid:") > 0)
    known[at].role = subject;
  return known[at].role;
}

static int listen_to(char **words, int *child) {
  volatile int *shared =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *child = fork();
  if (*child == 0) {
    struct sock_filter filter[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)};
    struct sock_fprog code = {sizeof filter / sizeof *filter, filter};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const long file =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &code);
    *shared = file < 0 ? -1 : (int)file; // from here on, calls wait for the tracer's answer
    execv(words[0], words);
    _exit(98);
  }
  while (*shared == 0)
    usleep(100);
  if (*shared < 0)
    exit(77); // the kernel lacks this
  const long process = syscall(SYS_pidfd_open, *child, 0);
  const long file = syscall(SYS_pidfd_getfd, process, *shared, 0);
  if (file < 0)
    fail("pidfd_getfd");
  return (int)file;
}

static int error_named(const char *name) {
  return !strcmp(name, "EPERM")    ? EPERM
         : !strcmp(name, "ENOSYS") ? ENOSYS
         : !strcmp(name, "ENOMEM") ? ENOMEM
                                   : 0;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (1e-9 * (double)time.tv_nsec);
}

int main(int count, char **words) {
  if (count < 6)
    return 99;
  const int error = error_named(words[3]);
  const char *kind = error == 0 ? words[3] + strlen("kill") : "";
  const int number = (int)strtol(words[4], NULL, 10);
  enum Role wanted = front;
  while (wanted < program && strcmp(words[2], names[wanted]) != 0)
    ++wanted;
  // A program has no front.
  if (!realpath(wanted == loader ? "/proc/self/exe" : words[5], front_path))
    fail(words[5]);
  if (!realpath("/lib64/ld-linux-x86-64.so.2", loader_path))
    fail("the stock loader");
  const int listener = listen_to(words + 5, &main_process);
  long calls = 0;
  long counted = 0;
  long done = 0;
  static int made[most_reported];
  int status = -1;
  double end = 0;
  int is_left = 0;
  for (;;) {
    struct pollfd what = {.fd = listener, .events = POLLIN, .revents = 0};
    if (poll(&what, 1, milliseconds_to_look) > 0 && (what.revents & POLLIN) != 0) {
      struct seccomp_notif call;
      memset(&call, 0, sizeof call);
      if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        continue;
      struct seccomp_notif_resp answer = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
      if (role_of(&call) == wanted) {
        if (calls < most_reported)
          made[calls] = call.data.nr;
        ++calls;
        const int counts = *kind == 0 || call.data.nr == strtol(kind, NULL, 10);
        counted += counts;
        if (error == 0 && counts && counted == number) {
          kill((int)call.pid, SIGKILL);
          ++done;
          continue;
        }
        if (error != 0 && call.data.nr == number) {
          ++done;
          answer.flags = 0;
          answer.error = -error;
        }
      }
      ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    } else if ((what.revents & POLLHUP) != 0) {
      break; // no process is left
    }
    if (status < 0 && waitpid(main_process, &status, WNOHANG) == main_process)
      end = now();
    else if (end > 0 && now() - end > (double)seconds_for_rest) {
      is_left = 1;
      break;
    }
  }
  if (end == 0)
    waitpid(main_process, &status, 0);
  FILE *report = fopen(words[1], "w");
  if (!report)
    fail(words[1]);
  fprintf(report, "%ld %ld %d", calls, done, is_left);
  for (int i = 0; i < calls && i < most_reported; ++i)
    fprintf(report, " %d", made[i]);
  fprintf(report, "\n");
  fclose(report);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded: writes how a program is started to the file that $SARTOR_WITNESS names, before any
// other code of the program runs. Children of the program that also load it find the file, and
// write nothing.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void descriptors(int to) {
  for (int number = 0; number < 1024; ++number) {
    const int flags = fcntl(number, F_GETFD);
    if (flags < 0 || number == to)
      continue;
    char link[64];
    char target[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    if (target[0] != '/')
      *strchrnul(target, ':') = '\0'; // pipe:[1234]
    dprintf(to, "descriptors: %d %s %#x %#x\n", number, target, (unsigned)flags,
            (unsigned)fcntl(number, F_GETFL));
  }
}

static void signals(int to) {
  sigset_t blocked;
  sigset_t pending;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  sigpending(&pending);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action;
    const char *does = "";
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
      does = action.sa_handler == SIG_IGN ? " ignored" : " handled";
    if (*does != '\0' || sigismember(&blocked, number) == 1 || sigismember(&pending, number) == 1)
      dprintf(to, "signals: %d%s%s%s\n", number, does,
              sigismember(&blocked, number) == 1 ? " blocked" : "",
              sigismember(&pending, number) == 1 ? " pending" : "");
  }
  stack_t stack;
  if (sigaltstack(NULL, &stack) == 0)
    dprintf(to, "signals: stack %#x\n", (unsigned)stack.ss_flags);
}

static void limits(int to) {
  for (int which = 0; which < (int)RLIM_NLIMITS; ++which) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)which, &limit) == 0)
      dprintf(to, "process: limit %d %#lx %#lx\n", which, (long)limit.rlim_cur,
              (long)limit.rlim_max);
  }
  for (int which = ITIMER_REAL; which <= ITIMER_PROF; ++which) {
    struct itimerval timer;
    if (getitimer((__itimer_which_t)which, &timer) == 0 && timer.it_value.tv_sec != 0)
      dprintf(to, "process: timer %d\n", which);
  }
}

static void process(int to) {
  char name[16] = "";
  prctl(PR_GET_NAME, name);
  int death = 0;
  prctl(PR_GET_PDEATHSIG, &death);
  dprintf(to, "process: name %s dumpable %d death %d keeps %d subreaper %d\n", name,
          prctl(PR_GET_DUMPABLE), death, prctl(PR_GET_KEEPCAPS),
          prctl(PR_GET_CHILD_SUBREAPER, &death) == 0 ? death : -1);
  const mode_t mask = umask(0);
  umask(mask);
  char directory[4096];
  const char *where = getcwd(directory, sizeof directory);
  dprintf(to, "process: mask %o directory %s\n", mask, where != NULL ? where : "");
  dprintf(to, "process: leads session %d group %d\n", getsid(0) == getpid(), getpgrp() == getpid());
  dprintf(to, "process: personality %#x nice %d policy %d\n", (unsigned)personality(0xffffffff),
          getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
  const pid_t child = waitpid(-1, NULL, WNOHANG | __WALL);
  dprintf(to, "process: children %d\n", child < 0 ? -errno : child);
  limits(to);
  FILE *status = fopen("/proc/self/status", "re");
  static const char *const lines[] = {"TracerPid", "Threads", "Seccomp", "NoNewPrivs",
                                      "Cap",       "Uid",     "Gid",     "Groups"};
  char line[4096];
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
      if (strncmp(line, lines[i], strlen(lines[i])) == 0)
        dprintf(to, "process: %s", line);
  if (status != NULL)
    fclose(status);
}

static int library(struct dl_phdr_info *info, size_t size, void *to) {
  (void)size;
  dprintf(*(int *)to, "libraries: %s\n", info->dlpi_name);
  return 0;
}

static void program(int to, int count, char **arguments, char **environment) {
  for (int i = 0; i < count; ++i)
    dprintf(to, "arguments: %s\n", arguments[i]);
  for (char **at = environment; *at != NULL; ++at)
    if (strncmp(*at, "SARTOR_WITNESS=", 15) != 0)
      dprintf(to, "environment: %s\n", *at);
  const unsigned long path = getauxval(AT_EXECFN);
  dprintf(to, "kernel: path %s secure %lu headers %lu page %lu\n",
          path != 0 ? (const char *)path : "", getauxval(AT_SECURE), getauxval(AT_PHNUM),
          getauxval(AT_PAGESZ));
  char target[4096];
  const ssize_t length = readlink("/proc/self/exe", target, sizeof target - 1);
  target[length < 0 ? 0 : length] = '\0';
  dprintf(to, "file: %s\n", target);
}

__attribute__((constructor)) static void witness(int count, char **arguments, char **environment) {
  const int error = errno;
  const char *file = getenv("SARTOR_WITNESS");
  int to = file != NULL ? open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
  if (to < 0) {
    errno = error;
    return;
  }
  descriptors(to);
  signals(to);
  process(to);
  program(to, count, arguments, environment);
  dl_iterate_phdr(library, &to);
  close(to);
  errno = error;
}

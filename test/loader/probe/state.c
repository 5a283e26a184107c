// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the state that a program inherits: signals that are ignored, blocked or pending, files,
// children.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(void) {
  for (int number = 1; number < 32; ++number) {
    struct sigaction action;
    sigset_t blocked;
    sigset_t pending;
    sigaction(number, NULL, &action);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigpending(&pending);
    if (action.sa_handler == SIG_IGN || sigismember(&blocked, number) ||
        sigismember(&pending, number))
      printf("signal %d: ignored %d, blocked %d, pending %d\n", number,
             action.sa_handler == SIG_IGN, sigismember(&blocked, number),
             sigismember(&pending, number));
  }
  DIR *files = opendir("/proc/self/fd");
  for (struct dirent *each = readdir(files); each != NULL; each = readdir(files)) {
    const int file = (int)strtol(each->d_name, NULL, 10);
    if (file > 2 && file != dirfd(files))
      printf("file %d\n", file);
  }
  closedir(files);
  const int child = waitpid(-1, NULL, WNOHANG);
  printf("children %d %d\n", child, errno == ECHILD);
  // NOLINTNEXTLINE(bugprone-command-processor): system() is tested
  printf("system %d\n", system("exit 7"));
  return 0;
}

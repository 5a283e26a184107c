// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

extern char **environ;

int main(int argc, char **argv) {
  if (argc > 1) { // the child, which executes this program again
    printf("child %s: %lu\n", argv[1], work(2));
    return 3;
  }
  const unsigned long expected = work(2);
  fflush(stdout);
  const pid_t child = vfork(); // NOLINT(*-unsafe-functions): is tested
  if (child == 0) {
    execl(argv[0], argv[0], "by vfork", (char *)NULL);
    _exit(127);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  char *arguments[] = {argv[0], "by spawn", NULL};
  pid_t spawned;
  CHECK(posix_spawn(&spawned, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
  CHECK(waitpid(spawned, &status, 0) == spawned && WEXITSTATUS(status) == 3);
  CHECK(system("exit 5") == 5 << 8);            // NOLINT(*-command-processor)
  FILE *pipe = popen("echo from a shell", "r"); // NOLINT(*-command-processor)
  char line[64] = "";
  CHECK(pipe && fgets(line, sizeof line, pipe) && strcmp(line, "from a shell\n") == 0);
  CHECK(pclose(pipe) == 0);
  printf("parent: %lu\n", expected);
  return wrong_count();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

int main(void) {
  const unsigned long expected = work(3);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const pid_t grandchild = fork();
      if (grandchild == 0)
        _exit(work(3) == expected ? 5 : 1);
      int status;
      waitpid(grandchild, &status, 0);
      _exit(work(3) == expected && WEXITSTATUS(status) == 5 ? 4 : 1);
    }
    int status = 0;
    CHECK(work(3) == expected);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 4);
  }
  printf("%lu\n", expected);
  return wrong_count();
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop without end that has a pragma stays one, in a guard's generic copy, too. */
/* inputs: 8, configurations: 6 */
#include "shape.h"
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
SARTOR_HANDLER long spin(long x) {
  const long k = sartor_generic("k", x);
  if (k == 7) {
#pragma nounroll
    for (;;)
      ;
  }
  return k;
}
CALLED(spin);
HANDLERS(LISTED(spin));
void program_run(unsigned input) {
  if (input % 4 != 3) {
    observe_number((unsigned long long)call_spin(LOW(input)));
    return;
  }
  /* A child that is never done is ended by its alarm. */
  const pid_t child = fork();
  if (child == 0) {
    const struct itimerval soon = {{0, 0}, {0, 3000}};
    setitimer(ITIMER_VIRTUAL, &soon, 0);
    call_spin(7);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  observe_number(WIFSIGNALED(status));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_REMOTE_TRIES_H
#define SARTOR_TEST_REMOTE_TRIES_H

#include <functional>

#include <sys/wait.h>

#include "../engine/check.h"

/// Runs `work` in a new process, and again if it fails there. For cases that a busy machine may
/// prevent from passing: a time limit also holds for what must succeed, or is exceeded by little
/// only. Fails if three processes fail.
inline void expect_good_end_of_one(const std::function<void()> &work) {
  for (int tries = 1;; ++tries) {
    const pid_t child = in_child(work);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return;
    CHECK(tries < 3);
  }
}

#endif

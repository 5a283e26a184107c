// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs sartor-compiler as on a kernel without Landlock; started in its place (--compiler).
#include <cstdio>

#include <unistd.h>

#include "hide_landlock.h"

int main(int, char **words) {
  if (!hide_landlock())
    return 1;
  words[0] = const_cast<char *>(SARTOR_COMPILER_PATH);
  execv(words[0], words);
  std::perror(words[0]);
  return 1;
}

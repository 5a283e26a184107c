// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs sartor-compiler as on a kernel without Landlock; started in its place (--compiler).
#include <cstdio>
#include <string>

#include <unistd.h>

#include "hide_landlock.h"
#include "paths.h"

int main(int, char **words) {
  if (!hide_landlock())
    return 1;
  std::string compiler = paths::compiler_path();
  words[0] = compiler.data();
  execv(words[0], words);
  std::perror(words[0]);
  return 1;
}

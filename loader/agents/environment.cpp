// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/environment.h"

#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

namespace sartor::agents {

namespace {

/// Returns the variable's position in the environment; nullptr if it is not set. The environment is
/// changed in place, because the C library later takes the same array for the program.
char **find(const char *name) {
  const std::size_t size = std::strlen(name);
  for (char **at = environ; *at; ++at)
    if (std::strncmp(*at, name, size) == 0 && (*at)[size] == '=')
      return at;
  return nullptr;
}

void remove(char **variable) {
  do
    variable[0] = variable[1];
  while (*variable++);
}

} // namespace

const char *take_variable(const char *name) {
  char **variable = find(name);
  if (!variable)
    return nullptr;
  const char *value = std::strchr(*variable, '=') + 1;
  remove(variable);
  return value;
}

void leave_preload() {
  static const char here = 0;
  char **variable = find("LD_PRELOAD");
  Dl_info self;
  if (!variable || dladdr(&here, &self) == 0)
    return;
  char *value = std::strchr(*variable, '=') + 1;
  const std::size_t size = std::strlen(self.dli_fname);
  for (char *at = value; (at = std::strstr(at, self.dli_fname)); ++at) {
    const char end = at[size];
    if ((at != value && at[-1] != ':') || (end != ':' && end != '\0'))
      continue;
    // The colon after the entry is removed with it; for the last entry, the colon before it.
    char *from = end == '\0' && at != value ? at - 1 : at;
    const char *rest = at + size + (end == ':' ? 1 : 0);
    std::memmove(from, rest, std::strlen(rest) + 1);
    break;
  }
  if (*value == '\0')
    remove(variable);
}

} // namespace sartor::agents

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_PROGRAM_H
#define SARTOR_LOADER_FRONT_PROGRAM_H

#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

/// Finds a program as a shell does: by PATH if there is no '/' in the name.
void find_program(const char *name, const Stack &stack, Line &path);

/// Resolves a path to an absolute one without symbolic links; returns false if there is none.
bool find_real_path(const char *path, char *to, size_t room);

/// Appends the absolute path of the same file, without symbolic links among its directories,
/// independent of the working directory.
void add_absolute(const char *path, Line &to);

/// True if the program's interpreter is a dynamic loader; all other programs are left to the
/// kernel.
bool is_dynamic(const char *path);

/// True if the program runs with other rights than its user, who then must not choose how it
/// starts.
bool changes_rights(const char *path);

/// True if the environment requests output about the stock loader's work.
bool is_watched(const Stack &stack);

} // namespace sartor::front

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_PROGRAM_H
#define SARTOR_LOADER_FRONT_PROGRAM_H

#include "front/stack.h"
#include "front/text.h"

namespace sartor::front {

/// Where a program is that is named as in a shell: by PATH if there is no '/' in the name.
void find_program(const char *name, const Stack &stack, Line &path);

/// Without links in it, from / on; false if there is none.
bool find_real_path(const char *path, char *to, size_t room);

/// The same file from / on, without links among its directories, wherever this process is.
void add_absolute(const char *path, Line &to);

/// Whether a loader would be its interpreter; all else is left to the kernel.
bool is_dynamic(const char *path);

/// With other rights than whoever starts it, what it starts with is not his to choose.
bool changes_rights(const char *path);

/// Whether somebody else wants to hear what the stock loader does.
bool is_watched(const Stack &stack);

} // namespace sartor::front

#endif

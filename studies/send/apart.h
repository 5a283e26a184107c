// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_APART_H
#define SEND_APART_H

#include <cstdio>
#include <functional>
#include <string>

namespace sartor::send {

/// Runs `work` in a child process and returns its output. The child ends with `work`, or with this
/// process. An exception becomes a line that begins with `!`. Throws std::runtime_error if the
/// process cannot be created.
std::string in_process_apart(const std::function<void(FILE *)> &work);

} // namespace sartor::send

#endif

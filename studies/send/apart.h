// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_APART_H
#define SEND_APART_H

#include <cstdio>
#include <functional>
#include <string>

namespace sartor::send {

/// What `work` writes in a process of its own, which ends with it, and with this one. An exception
/// of its is a line that begins with `!`. Throws std::runtime_error if there is no such process.
std::string in_process_apart(const std::function<void(FILE *)> &work);

} // namespace sartor::send

#endif

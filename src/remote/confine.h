// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_CONFINE_H
#define SARTOR_REMOTE_CONFINE_H

#include <string>
#include <vector>

namespace sartor::remote {

/// From now on this process, which has all of its libraries and one thread, may compute, answer on
/// the sockets that it has or is given, start threads, and read system libraries and these files;
/// nothing else: no file is written or made, nothing executed, nobody connected to or signalled. By
/// Landlock where the kernel has it, and seccomp. False if either is refused.
bool confine(const std::vector<std::string> &may_read);

} // namespace sartor::remote

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_COMPILERS_CONFINE_H
#define SARTOR_REMOTE_SERVER_COMPILERS_CONFINE_H

#include <string>
#include <vector>

namespace sartor::remote {

struct Confinement {
  /// Pass plugins that may be loaded; system libraries may be read then too, because plugins need
  /// some. If it is empty, no file can be opened at all.
  std::vector<std::string> may_read;
  /// Permits a kernel without Landlock: seccomp alone.
  bool may_be_weak = false;
  /// Code may be made and run in memory that it allocates.
  bool may_run_code = false;
};

/// True if the kernel has Landlock.
bool has_landlock();

/// Confines this process, which has loaded all of its libraries and has one thread. From now on it
/// may compute, start threads, and use the sockets that it has or receives. It opens only files
/// that `how` names, and writes and creates none; executes no program; maps no new code without
/// plugins; connects to nothing; and signals no other process. Standard streams lead to /dev/null.
///
/// The mechanisms are seccomp and Landlock: files (ABI 1), TCP (4), ioctl on devices (5), abstract
/// sockets and signals (6). On older kernels only seccomp applies to these: kill(), ioctl(),
/// bind(), connect() and fcntl() that signals others are refused there too. Returns false if the
/// kernel has no Landlock and `how` does not permit that, or refuses any of it.
bool confine(const Confinement &how);

} // namespace sartor::remote

#endif

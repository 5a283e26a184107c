// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CONFINE_H
#define SARTOR_REMOTE_SERVER_CONFINE_H

#include <string>
#include <vector>

namespace sartor::remote {

struct Confinement {
  /// Pass plugins that may be loaded; system libraries may be read then too, because plugins need
  /// some. Empty: no file can be opened at all.
  std::vector<std::string> may_read;
  /// Goes on where the kernel has no Landlock: seccomp alone.
  bool may_be_weak = false;
};

/// Whether the kernel has Landlock.
bool has_landlock();

/// Confines this process, which has loaded all of its libraries and has one thread. From now on it
/// may compute, start threads, and talk on the sockets that it has or is given. It opens no file
/// but those that `how` names, writes and makes none, executes nothing, maps no new code without
/// plugins, connects to nothing, and signals no other process. Standard streams lead to /dev/null.
///
/// By seccomp, and by Landlock: files (ABI 1), TCP (4), ioctl on devices (5), abstract sockets and
/// signals (6). Older kernels have what seccomp says about these: kill(), ioctl(), bind(),
/// connect() and fcntl() that signals others are refused there too. False if the kernel has no
/// Landlock and `how` does not allow that, or refuses any of it.
bool confine(const Confinement &how);

} // namespace sartor::remote

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_PROCESS_H
#define SARTOR_TOOLS_CC_PROCESS_H

#include <string>

#include "base/result.h"
#include "tools/cc/response_file.h"

namespace sartor::cc {

/// Becomes another program; comes back only if that cannot be.
Failure become(const Words &command);

/// Runs it to its end, and passes signals on to it that would end this process. Its status as a
/// shell's; of a process that a signal has ended, 128 and the signal.
Result<int> run(const Words &command);

/// While it is there, a directory of this process's own; gone with it.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  /// Empty if it cannot be made.
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace sartor::cc

#endif

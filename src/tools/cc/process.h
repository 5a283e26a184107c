// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CC_PROCESS_H
#define SARTOR_TOOLS_CC_PROCESS_H

#include <string>

#include "base/result.h"
#include "tools/cc/response_file.h"

namespace sartor::cc {

/// Replaces this process by another program; returns only on failure.
Failure become(const Words &command);

/// Runs a program to its end, and forwards signals that would end this process. Returns its status
/// as a shell does: after a signal, 128 plus the signal's number.
Result<int> run(const Words &command);

/// A directory of this process's own, which exists while this object does.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  /// Empty if it cannot be created.
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace sartor::cc

#endif

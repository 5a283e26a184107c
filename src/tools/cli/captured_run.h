// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_CAPTURED_RUN_H
#define SARTOR_TOOLS_CLI_CAPTURED_RUN_H

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// The behavior of a command, part by part.
struct CapturedRun {
  bool is_late = false; ///< It was killed, because it had not ended in time.
  int status = 0;       ///< As of waitpid().
  /// "exit status", "standard output", "standard error", and files by path, with their content.
  std::map<std::string, std::string> parts;
};

/// Runs a command without standard input, with these variables in addition to the environment.
/// `files` are read afterwards. Fails with file_error.
Result<CapturedRun> run_captured(const std::vector<std::string> &command,
                                 const std::vector<std::string> &variables,
                                 const std::vector<std::string> &files,
                                 std::chrono::milliseconds limit);

/// The parts that two runs of the same kind have in common, line by line, and what another run has
/// otherwise.
struct RunDifference {
  std::vector<std::string> not_compared; ///< Differ between the two runs: parts, or lines of parts.
  std::vector<std::string> differing;
};
RunDifference difference_of(const CapturedRun &once, const CapturedRun &again,
                            const CapturedRun &other);

} // namespace sartor::cli

#endif

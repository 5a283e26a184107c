// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_KEEP_WINNER_FILE_H
#define SARTOR_TUNER_KEEP_WINNER_FILE_H

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tuner/keep/memory.h"

namespace sartor {

/// The winners of explorations in a file of JSON lines, the latest last, which several processes
/// may share:
/// `{"winner":{"B":16},"objective":"sums","workload":"day","points":{"N":[["64",0.9]]}}`. Whoever
/// needs configurations that are worth compiling beforehand reads the same lines. A value.
class WinnerFile {
public:
  /// Of what is decided by this objective.
  WinnerFile(std::filesystem::path path, std::string objective)
      : path_(std::move(path)), objective_(std::move(objective)) {}

  struct Contents {
    std::vector<Winner> winners; ///< The latest first; one for each configuration and workload.
    std::size_t left_out = 0;    ///< Lines that are damaged, or tell of another objective.
  };
  /// No file is no winners. Fails with file_error.
  [[nodiscard]] Result<Contents> read() const;
  /// A file that has grown beyond a mebibyte loses what was outdone since, then what is oldest.
  /// Fails with file_error.
  [[nodiscard]] Result<void> add(const Winner &winner) const;

private:
  std::filesystem::path path_;
  std::string objective_;
};

} // namespace sartor

#endif

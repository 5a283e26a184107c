// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PERSISTENCE_BEST_KNOWN_FILE_H
#define SARTOR_TUNER_PERSISTENCE_BEST_KNOWN_FILE_H

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tuner/persistence/best_known_cache.h"

namespace sartor {

/// The best-known configurations of explorations in a file of JSON lines, the latest last, which
/// several processes may share:
/// `{"best_known":{"B":16},"objective":"sums","workload":"day","points":{"N":[["64",0.9]]}}`.
/// Compilation ahead of time reads the same lines to find configurations that are worth compiling.
/// A value type.
class BestKnownFile {
public:
  /// Uses the lines of this objective only.
  BestKnownFile(std::filesystem::path path, std::string objective)
      : path_(std::move(path)), objective_(std::move(objective)) {}

  struct Contents {
    std::vector<BestKnown>
        best_known;           ///< The latest first; one for each configuration and workload.
    std::size_t left_out = 0; ///< Lines that are damaged, or of another objective.
  };
  /// A missing file has no configurations. Fails with file_error.
  [[nodiscard]] Result<Contents> read() const;
  /// Appends a line. A file that has grown beyond a mebibyte loses lines that are outdated, then
  /// the oldest ones. Fails with file_error.
  [[nodiscard]] Result<void> add(const BestKnown &best) const;

private:
  std::filesystem::path path_;
  std::string objective_;
};

} // namespace sartor

#endif

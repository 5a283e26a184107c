// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_PERF_MAP_H
#define SARTOR_RUNTIME_CODEMEM_PERF_MAP_H

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/file/private_file.h"
#include "base/thread/mutex.h"

namespace sartor::runtime {

/// The names of JIT code for perf: lines of /tmp/perf-PID.map (Linux,
/// tools/perf/Documentation/jit-interface.txt), to which other JITs of the process may also write.
/// The lines of an address range that is used again are blanked. A file that cannot be written is
/// reported once and then not written. A descriptor that the program has closed is opened again.
/// Thread-safe.
class PerfMap {
public:
  struct Function {
    std::uint64_t address;
    std::uint64_t bytes;
    std::string name;
  };

  /// The map of this process.
  static PerfMap &instance();

  explicit PerfMap(std::filesystem::path directory) : directory_(std::move(directory)) {}
  void add(const std::vector<Function> &functions);

private:
  struct Line {
    std::uint64_t bytes; ///< The size of the code.
    std::string text;
    off_t begin = -1; ///< The position in the file; negative if it is not in the file.
  };

  bool open();
  void write(Line &line);
  void blank(const Line &line);
  void forget(std::uint64_t begin, std::uint64_t end);

  const std::filesystem::path directory_;
  base::Mutex mutex_;                   ///< Guards the following members.
  std::map<std::uint64_t, Line> lines_; ///< Keyed by the code's address.
  base::FileHandle file_{-1};
  pid_t process_ = 0; ///< The process that owns the file: a child has its own.
  bool refused_ = false;
};

} // namespace sartor::runtime

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_JIT_DUMP_H
#define SARTOR_RUNTIME_CODEMEM_JIT_DUMP_H

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include <sys/types.h>

#include "base/file/private_file.h"
#include "base/thread/mutex.h"
#include "runtime/codemem/function_frames.h"
#include "runtime/codemem/line_rows.h"

namespace sartor::runtime {

/// The names, bytes, source lines and unwind information of JIT code for `perf inject --jit`:
/// $JITDUMPDIR/.debug/jit/jit-PID.dump, below $HOME without that variable (Linux,
/// tools/perf/Documentation/jitdump-specification.txt). A child process begins a file of its own
/// with its first piece of code. If the program has closed the descriptor, the file is opened
/// again. Thread-safe.
class JitDump {
public:
  static JitDump &instance();

  struct Function {
    std::string_view name;
    std::uint64_t address;
    std::string_view code;
    std::span<const LineRow> lines; ///< With offsets from the function's begin.
    FunctionFrames frames;
  };

  void add(const Function &function);

private:
  bool open();
  bool open_again();

  base::Mutex mutex_;
  base::FileHandle file_{-1};
  std::filesystem::path path_;
  pid_t process_ = 0; ///< The process that has created the file.
  std::uint64_t pieces_ = 0;
};

} // namespace sartor::runtime

#endif

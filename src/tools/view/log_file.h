// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_LOG_FILE_H
#define SARTOR_TOOLS_VIEW_LOG_FILE_H

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file/file_handle.h"
#include "base/result.h"
#include "tools/view/event_lines.h"

namespace sartor::view {

/// An event log, which may grow while it is read.
class LogFile {
public:
  /// The treatment of a last line that has no end.
  enum class LastLine : bool { waited_for, taken };

  /// Fails with file_error, also if it is no plain file.
  static Result<LogFile> open(const std::filesystem::path &path);

  [[nodiscard]] Result<std::uint64_t> size() const;
  [[nodiscard]] const base::FileIdentity &identity() const { return file_.identity(); }

  /// Adds the lines from `offset` on, a few MiB at most, and returns the offset of the next line,
  /// which equals `offset` at the end. Fails with file_error.
  Result<std::uint64_t> read(std::uint64_t offset, LastLine last, EventLines &lines) const;

private:
  LogFile(std::filesystem::path path, base::FileHandle file)
      : path_(std::move(path)), file_(std::move(file)) {}

  /// Adds a line that is longer than what is read at once.
  Result<std::uint64_t> skip_line(std::uint64_t offset, LastLine last, std::string_view beginning,
                                  EventLines &lines) const;

  std::filesystem::path path_;
  base::FileHandle file_;
};

} // namespace sartor::view

#endif

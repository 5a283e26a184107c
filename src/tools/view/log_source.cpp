// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/log_source.h"

#include "tools/view/log_file.h"

namespace sartor::view {

Result<std::string> LogSource::events(std::uint64_t after) {
  const auto log = LogFile::open(log_);
  if (!log)
    return std::unexpected(log.error());
  const auto size = log->size();
  if (!size)
    return std::unexpected(size.error());
  const bool restarted = *size < after;
  const std::uint64_t begin = restarted ? 0 : after;
  EventLines lines(visit_);
  const auto next = log->read(begin, LogFile::LastLine::waited_for, lines);
  if (!next)
    return std::unexpected(next.error());
  return lines.take() + ",\"next\":" + std::to_string(*next) +
         ",\"more\":" + (*next > begin && *next < *size ? "true" : "false") +
         ",\"restarted\":" + (restarted ? "true" : "false");
}

} // namespace sartor::view

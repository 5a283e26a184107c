// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/log_source.h"

#include <algorithm>

#include "tools/view/log_file.h"

namespace sartor::view {

Result<std::string> LogSource::events(std::uint64_t after) {
  const auto log = LogFile::open(log_);
  if (!log)
    return std::unexpected(log.error());
  const auto size = log->size();
  if (!size)
    return std::unexpected(size.error());
  const bool is_other = file_ && *file_ != log->identity();
  if (is_other || *size < end_ - begin_)
    begin_ = ++end_;
  file_ = log->identity();
  const bool restarted = after < begin_ || after - begin_ > *size;
  const std::uint64_t from = restarted ? 0 : after - begin_;
  EventLines lines(visit_);
  const auto next = log->read(from, LogFile::LastLine::waited_for, lines);
  if (!next)
    return std::unexpected(next.error());
  end_ = std::max(end_, begin_ + *next);
  return lines.take() + ",\"next\":" + std::to_string(begin_ + *next) +
         ",\"more\":" + (*next > from && *next < *size ? "true" : "false") +
         ",\"restarted\":" + (restarted ? "true" : "false");
}

} // namespace sartor::view
